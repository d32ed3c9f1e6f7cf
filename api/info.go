package api

import (
	"context"
	"slices"

	"corehost/config/provider"
	"corehost/desired"
	"corehost/observers"
	"corehost/reconcilers"
)

// fields are the three values of config.yaml that the service manages.
const (
	fieldProvider = "model.provider"
	fieldModel    = "model.default"
	fieldEffort   = "agent.reasoning_effort"
)

// resolved is config.yaml looked at with the catalogue.
type resolved struct {
	have      *observers.Snapshot
	catalogue *provider.Catalogue
	choice    provider.Resolution
}

// resolve applies the resolution that every runtime uses to config.yaml as
// last observed.
func (s *Server) resolve() resolved {
	have := s.Hub.Snapshot()
	config := have.Platform.Value.Config
	catalogue := provider.Load(config.Providers)
	return resolved{have: have, catalogue: catalogue, choice: provider.Resolve(config, catalogue, have.Keys.Value.Has)}
}

// ModelInfo says which model drives the agents and where that comes from.
func (s *Server) ModelInfo(context.Context) ModelInfo {
	r := s.resolve()
	status := s.Engine.Status()
	info := ModelInfo{
		Model: r.choice.Model, Provider: r.choice.Provider,
		EffectiveContextLength: known0(r.choice.Context), AutoContextLength: known0(r.choice.AutoContext),
		ConfigContextLength: known0(r.choice.ConfigContext),
		ReasoningEffort:     effortWord(r.choice.Effort),
		Configured:          configured(r.have),
		RestartRequired:     len(status.Restart) > 0,
		Source:              sources(r.choice, s.Store.Current().Host),
		ObservedAt:          pointer(r.have.Platform.At),
	}
	if p, ok := r.catalogue.Get(r.choice.Provider); ok {
		info.Tiers = Tiers{Cheap: first(p.Cheap, p.DefaultModel), Frontier: first(p.Frontier, p.DefaultModel)}
		if m, ok := p.Model(r.choice.Model); ok {
			info.Capabilities = Capabilities{SupportsReasoning: m.Reasoning, SupportsTools: m.Tools, SupportsVision: m.Vision, MaxOutputTokens: m.MaxOutput}
		}
	}
	info.Running = s.running(r.have, info.Configured, status.Restart)
	return info
}

// configured is what config.yaml says, unresolved.
func configured(have *observers.Snapshot) ModelChoice {
	config := have.Platform.Value.Config
	return ModelChoice{Provider: config.Provider, Model: config.Model, ReasoningEffort: effortWord(config.Effort)}
}

// running is what each unit that reads config.yaml started with: the
// configured values, but for those the restart ledger knows better.
func (s *Server) running(have *observers.Snapshot, now ModelChoice, notices []reconcilers.RestartNotice) RunningChoice {
	list := make([]RunningModel, 0, len(s.Readers))
	for _, name := range s.Readers {
		row := RunningModel{Unit: name, ModelChoice: now}
		if unit, ok := have.Units.Value.Find(name); ok && unit.Up() {
			row.Running, row.Since = true, pointer(unit.Started)
		}
		if name == s.Self {
			row.Running, row.Since = true, pointer(s.Started)
		}
		for _, notice := range notices {
			if notice.Unit == name {
				row.override(notice)
			}
		}
		list = append(list, row)
	}
	choice := RunningChoice{Units: list}
	if i := slices.IndexFunc(list, func(r RunningModel) bool { return r.Running }); i >= 0 {
		choice.ModelChoice = list[i].ModelChoice
	}
	return choice
}

func (r *RunningModel) override(n reconcilers.RestartNotice) {
	switch n.Field {
	case fieldProvider:
		r.Provider = n.Running
	case fieldModel:
		r.Model = n.Running
	case fieldEffort:
		r.ReasoningEffort = effortWord(n.Running)
	}
}

// sources says where each value comes from; a value that desired.yaml manages
// comes from there.
func sources(choice provider.Resolution, want *desired.Host) map[string]string {
	from := map[string]string{"provider": choice.ProviderSource, "model": choice.ModelSource, "reasoning_effort": choice.EffortSource}
	if m := want.Spec.Model; m != nil {
		if m.Provider != nil && *m.Provider == choice.Provider {
			from["provider"] = "desired"
		}
		if m.Default != nil && (*m.Default == choice.Model || *m.Default == "") {
			from["model"] = "desired"
		}
	}
	if a := want.Spec.Agent; a != nil && a.ReasoningEffort != nil && string(*a.ReasoningEffort) == effortWord(choice.Effort) {
		from["reasoning_effort"] = "desired"
	}
	return from
}

// effortWord is the effort as the API says it: an absent key is off.
func effortWord(effort string) string { return first(effort, string(desired.EffortOff)) }

// known0 is nil for a length that is not known.
func known0(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}
