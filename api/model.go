package api

import "time"

// ModelInfo is the body of GET /api/model/info.
type ModelInfo struct {
	Model                  string            `json:"model"`
	Provider               string            `json:"provider"`
	EffectiveContextLength *int              `json:"effective_context_length"` // tokens; null: unknown
	AutoContextLength      *int              `json:"auto_context_length"`      // of the catalogue
	ConfigContextLength    *int              `json:"config_context_length"`    // model.context_length
	Capabilities           Capabilities      `json:"capabilities"`
	ReasoningEffort        string            `json:"reasoning_effort"` // off, low, medium, high
	Tiers                  Tiers             `json:"tiers"`
	Configured             ModelChoice       `json:"configured"` // what config.yaml says now
	Running                RunningChoice     `json:"running"`    // what the units started with
	RestartRequired        bool              `json:"restart_required"`
	Source                 map[string]string `json:"source"` // provider, model, reasoning_effort → desired, config, environment, default
	ObservedAt             *time.Time        `json:"observed_at"`
}

// Capabilities are what the catalogue says of a model.
type Capabilities struct {
	SupportsReasoning bool `json:"supports_reasoning"`
	SupportsTools     bool `json:"supports_tools"`
	SupportsVision    bool `json:"supports_vision"`
	MaxOutputTokens   int  `json:"max_output_tokens"`
}

// Tiers are the models behind the harness's two tiers.
type Tiers struct {
	Cheap    string `json:"cheap"`
	Frontier string `json:"frontier"`
}

// ModelChoice is a provider, a model and an effort.
type ModelChoice struct {
	Provider        string `json:"provider"`
	Model           string `json:"model"`
	ReasoningEffort string `json:"reasoning_effort"`
}

// RunningChoice is what runs now: the choice of the first unit that runs, the
// gateway before the dashboard; empty when none does.
type RunningChoice struct {
	ModelChoice
	Units []RunningModel `json:"units"` // each unit that reads config.yaml at its start
}

// RunningModel is the choice a unit started with.
type RunningModel struct {
	Unit string `json:"unit"`
	ModelChoice
	Since   *time.Time `json:"since"`
	Running bool       `json:"running"` // false: the unit does not run
}

// ModelOptions is the body of GET /api/model/options.
type ModelOptions struct {
	Provider  string           `json:"provider"`
	Model     string           `json:"model"`
	Providers []ProviderOption `json:"providers"`
}

// ProviderOption is one known provider.
type ProviderOption struct {
	Slug         string        `json:"slug"`
	Name         string        `json:"name"`
	Models       []ModelOption `json:"models"`
	DefaultModel string        `json:"default_model"`
	Active       bool          `json:"active"`
	KeyStatus    string        `json:"key_status"` // configured, not_needed, missing
	KeyLabel     string        `json:"key_label"`  // KEY CONFIGURED, NO KEY NEEDED, NO KEY (ENV_NAME)
	KeyEnv       string        `json:"key_env"`
	Switchable   bool          `json:"switchable"`
	Family       string        `json:"family"`
	BaseURL      string        `json:"base_url"`
}

// ModelOption is one model of a provider.
type ModelOption struct {
	ID                string   `json:"id"`
	Name              string   `json:"name"`
	ContextLength     int      `json:"context_length"` // tokens; 0: unknown
	SupportsReasoning bool     `json:"supports_reasoning"`
	Efforts           []string `json:"efforts"`
}

// SetModel is the body of PUT /api/model/active. A blank model follows the
// provider's default.
type SetModel struct {
	Provider string `json:"provider"`
	Model    string `json:"model,omitempty"`
}

// SetEffort is the body of PUT /api/model/reasoning: OFF, LOW, MEDIUM or
// HIGH in any letter case.
type SetEffort struct {
	Effort string `json:"effort"`
}

// ModelSet answers PUT /api/model/active and /reasoning.
type ModelSet struct {
	RestartRequired bool   `json:"restart_required"`
	Provider        string `json:"provider,omitempty"`
	Model           string `json:"model,omitempty"`
	Effort          string `json:"effort,omitempty"`
	Revision        int64  `json:"revision"`
	Converged       bool   `json:"converged"`
	Warning         string `json:"warning,omitempty"` // not_supported_by_model
}
