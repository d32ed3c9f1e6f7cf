package platform

import (
	"strings"

	"gopkg.in/yaml.v3"

	"corehost/config/yamledit"
)

// Edit makes the edits in config.yaml's bytes and leaves all others alone.
// Errors are a *Problem when the file does not parse, else a *yamledit.Error.
//
// A scalar `model: name` becomes a mapping with the name under default. The
// model is always written as model.default; model.name and model.model, where
// they say the model today, get the same value, so that no reader of an older
// spelling runs another model. Removing model.default removes these too.
func Edit(src []byte, edits ...yamledit.Edit) ([]byte, error) {
	before, p := Parse(src)
	if p != nil {
		return nil, p
	}
	root, err := yamledit.Parse(src)
	if err != nil {
		return nil, problem(err)
	}
	var all []yamledit.Edit
	for _, e := range edits {
		if before.ModelKey == "model" && e.Path == KeyModel && !e.Remove && e.Value == before.Model {
			continue
		}
		if before.ModelKey == "model" && needsMapping(e) {
			all = append(all, yamledit.Nest("model", "default"))
		}
		all = append(all, e)
		if e.Path == KeyModel {
			all = append(all, follow(root, before, e)...)
		}
	}
	return yamledit.Apply(src, all...)
}

// needsMapping reports an edit below model that a scalar has no room for.
func needsMapping(e yamledit.Edit) bool {
	return e.Path == KeyModel || !e.Remove && strings.HasPrefix(e.Path, "model.")
}

// follow repeats an edit of model.default for the other spellings that say
// the same today. One that already differed beside a model.default is
// something else, a title perhaps, and is left alone.
func follow(root *yaml.Node, before Config, e yamledit.Edit) []yamledit.Edit {
	var more []yamledit.Edit
	for _, key := range spellings[1:] {
		value, set, _ := text(root, key)
		if set && before.ModelKey != "model" && value == before.Model {
			e.Path = key
			more = append(more, e)
		}
	}
	return more
}
