package provider

// addresses of providers whose address the catalogue leaves to the
// environment. All read 2026-11-21 in the makers' documentation. Azure has
// one address for each customer, so it stays empty.
var addresses = map[string]string{
	"anthropic":      "https://api.anthropic.com",                                    // platform.claude.com/docs/en/api/overview
	"openai":         "https://api.openai.com/v1",                                    // platform.openai.com/docs/api-reference
	"gemini":         "https://generativelanguage.googleapis.com/v1beta",             // ai.google.dev/api
	"vertexai":       "https://aiplatform.googleapis.com/v1/publishers/google",       // cloud.google.com/vertex-ai, express mode
	"bedrock":        "https://bedrock-runtime.us-east-1.amazonaws.com/anthropic",    // docs.aws.amazon.com/bedrock, inference-messages-api
	"bedrock-europe": "https://bedrock-runtime.eu-central-1.amazonaws.com/anthropic", // the same page, Frankfurt
}

// otherKeys are further names the same key goes by, in the order in which
// they are looked for, after the catalogue's own name. Read 2026-11-21.
var otherKeys = map[string][]string{
	"gemini":            {"GOOGLE_API_KEY"},              // ai.google.dev/gemini-api/docs/api-key
	"vertexai":          {"GOOGLE_VERTEX_API_KEY"},       // ai-sdk.dev/providers/ai-sdk-providers/google-vertex
	"bedrock":           {"AWS_BEARER_TOKEN_BEDROCK"},    // docs.aws.amazon.com/bedrock, api-keys-use
	"bedrock-europe":    {"AWS_BEARER_TOKEN_BEDROCK"},    // the same page
	"copilot":           {"COPILOT_GITHUB_TOKEN"},        // docs.github.com/copilot, authenticating the CLI
	"vercel":            {"AI_GATEWAY_API_KEY"},          // vercel.com/docs/ai-gateway/authentication
	"alibaba-singapore": {"DASHSCOPE_API_KEY"},           // alibabacloud.com/help/model-studio
	"kimi-coding":       {"KIMI_API_KEY"},                // kimi.com/code/docs
	"zai":               {"GLM_API_KEY", "Z_AI_API_KEY"}, // docs.z.ai
	"opencode-zen":      {"OPENCODE_ZEN_API_KEY"},        // opencode.ai/docs/zen
	"opencode-go":       {"OPENCODE_GO_API_KEY"},         // opencode.ai/docs/go
}

// gaps are the providers the catalogue does not have. Where no source gives a
// figure it is left out; figures marked catwalk are those of v0.51.0 for the
// same model at another provider.
func gaps() []Provider {
	return []Provider{nous(), nvidia(), mistral(), ollama(), lmstudio(), custom()}
}

// nous: address and model ids from portal.nousresearch.com (API keys page);
// context and efforts from catwalk (nebius). 2026-11-21.
func nous() Provider {
	return Provider{
		Slug: "nous", Name: "Nous Research", Family: FamilyChat,
		BaseURL: "https://inference-api.nousresearch.com/v1",
		KeyEnvs: []string{"NOUS_API_KEY"}, KeyNeeded: true,
		DefaultModel: "Hermes-4-405B", Cheap: "Hermes-4-70B", Frontier: "Hermes-4-405B",
		Models: []Model{
			{ID: "Hermes-4-405B", Name: "Hermes 4 405B", ContextLength: 131072, MaxOutput: 13107, Reasoning: true, Tools: true, Efforts: []string{"low", "medium", "high"}},
			{ID: "Hermes-4-70B", Name: "Hermes 4 70B", ContextLength: 131072, MaxOutput: 13107, Reasoning: true, Tools: true, Efforts: []string{"low", "medium", "high"}},
		},
	}
}

// nvidia: address, key name and model id from build.nvidia.com (model pages);
// figures from catwalk (nebius). The hosted models think by a budget of
// tokens, not by an effort, so they have no dial. 2026-11-21.
func nvidia() Provider {
	return Provider{
		Slug: "nvidia", Name: "NVIDIA", Family: FamilyChat,
		BaseURL: "https://integrate.api.nvidia.com/v1",
		KeyEnvs: []string{"NVIDIA_API_KEY", "NVIDIA_NIM_API_KEY", "NIM_API_KEY"}, KeyNeeded: true,
		DefaultModel: "nvidia/nemotron-3-super-120b-a12b", Cheap: "nvidia/nemotron-3-nano-30b-a3b", Frontier: "nvidia/nemotron-3-super-120b-a12b",
		Models: []Model{
			{ID: "nvidia/nemotron-3-super-120b-a12b", Name: "Nemotron 3 Super 120B", ContextLength: 262144, MaxOutput: 26214, Reasoning: true, Tools: true},
			{ID: "nvidia/nemotron-3-nano-30b-a3b", Name: "Nemotron 3 Nano 30B", ContextLength: 262144, MaxOutput: 26214, Reasoning: true, Tools: true},
		},
	}
}

// mistral: address and key name from docs.mistral.ai/api; efforts from
// docs.mistral.ai/capabilities/reasoning/adjustable (only "high" and none);
// the other figures from catwalk (openrouter) for the same releases, which
// are named rather than -latest, whose meaning moves. 2026-11-21.
func mistral() Provider {
	return Provider{
		Slug: "mistral", Name: "Mistral", Family: FamilyChat,
		BaseURL: "https://api.mistral.ai/v1",
		KeyEnvs: []string{"MISTRAL_API_KEY"}, KeyNeeded: true,
		DefaultModel: "mistral-medium-3-5", Cheap: "mistral-small-2603", Frontier: "mistral-medium-3-5",
		Models: []Model{
			{ID: "mistral-medium-3-5", Name: "Mistral Medium 3.5", ContextLength: 262144, MaxOutput: 26214, Reasoning: true, Tools: true, Vision: true, Efforts: []string{"high"}},
			{ID: "mistral-large-2512", Name: "Mistral Large 3", ContextLength: 262144, MaxOutput: 26214, Tools: true, Vision: true},
			{ID: "mistral-small-2603", Name: "Mistral Small 4", ContextLength: 262144, MaxOutput: 26214, Reasoning: true, Tools: true, Vision: true, Efforts: []string{"high"}},
			{ID: "codestral-2508", Name: "Codestral 25.08", ContextLength: 256000, MaxOutput: 25600, Tools: true},
			{ID: "devstral-2512", Name: "Devstral 2", ContextLength: 262144, MaxOutput: 26214, Tools: true},
		},
	}
}

// ollama: docs.ollama.com/api/openai-compatibility, 2026-11-21. Its models
// are what was pulled on the machine, so none is known and none is default.
func ollama() Provider {
	return Provider{
		Slug: "ollama", Name: "Ollama", Family: FamilyChat,
		BaseURL: "http://127.0.0.1:11434/v1", KeyEnvs: []string{"OLLAMA_API_KEY"},
	}
}

// lmstudio: lmstudio.ai/docs/developer/openai-compat, 2026-11-21. Its models
// are what was loaded on the machine.
func lmstudio() Provider {
	return Provider{
		Slug: "lmstudio", Name: "LM Studio", Family: FamilyChat,
		BaseURL: "http://127.0.0.1:1234/v1", KeyEnvs: []string{"LM_API_KEY", "LMSTUDIO_API_KEY"},
	}
}

// custom is any OpenAI-compatible address: providers.custom.base_url.
func custom() Provider {
	return Provider{
		Slug: "custom", Name: "Custom endpoint", Family: FamilyChat,
		KeyEnvs: []string{"CUSTOM_API_KEY"},
	}
}
