package platform

import "fmt"

// Keys of config.yaml that the service writes.
const (
	KeyProvider = "model.provider"
	KeyModel    = "model.default"
	KeyEffort   = "agent.reasoning_effort"
)

// Config is what config.yaml says about the things the service looks at. An
// absent value is the empty string, unless a Set field tells more.
type Config struct {
	Provider      string // model.provider
	Model         string // model.default, tolerated: model.name, model.model, scalar model
	ModelKey      string // which of these spellings the file uses: "model.default", "model"
	Effort        string // agent.reasoning_effort
	EffortSet     bool   // the key is there, whatever its value
	ContextLength int    // model.context_length; 0: not set
	Providers     map[string]Provider
}

// Provider is a user's own provider, or the address of a known one.
type Provider struct {
	Name         string
	BaseURL      string
	Family       string // openai-chat, openai-responses, anthropic, gemini
	KeyEnv       string
	DefaultModel string
	Models       []string
	Cheap        string // tiers.cheap
	Frontier     string // tiers.frontier
}

// Problem is why config.yaml cannot be read, at the place it stands.
type Problem struct {
	Line    int // 1-based; 0: the whole file
	Column  int // 1-based, in characters
	Message string
}

// Error is config.yaml:line:column: message.
func (p *Problem) Error() string {
	if p.Line == 0 {
		return "config.yaml: " + p.Message
	}
	return fmt.Sprintf("config.yaml:%d:%d: %s", p.Line, p.Column, p.Message)
}
