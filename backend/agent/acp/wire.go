package acp

import (
	"cmp"
	"encoding/json"
	"errors"

	"offrun/backend/agent"
)

// version is the version of the protocol that is spoken here.
const version = 1

// The methods of the protocol, as far as they are used here.
const (
	initialize        = "initialize"
	newSession        = "session/new"
	loadSession       = "session/load"
	resumeSession     = "session/resume"
	setMode           = "session/set_mode"
	setModel          = "session/set_model"
	setOption         = "session/set_config_option"
	prompt            = "session/prompt"
	cancel            = "session/cancel"
	update            = "session/update"
	requestPermission = "session/request_permission"
)

// params is what a request or an answer carries: few members, each written once.
type params map[string]any

// introduction is what an agent says of itself.
type introduction struct {
	Version      int `json:"protocolVersion"`
	Capabilities struct {
		Load    bool `json:"loadSession"`
		Session struct {
			Resume *struct{} `json:"resume"`
		} `json:"sessionCapabilities"`
	} `json:"agentCapabilities"`
	Logins []struct {
		Name string `json:"name"`
	} `json:"authMethods"`
}

// opened is the answer to session/new, session/load and session/resume.
type opened struct {
	Session string `json:"sessionId"` // of a new one
	Modes   struct {
		Current string `json:"currentModeId"`
		Offered []struct {
			ID string `json:"id"`
		} `json:"availableModes"`
	} `json:"modes"`
	Models struct {
		Current string `json:"currentModelId"`
	} `json:"models"`
	Options []configOption `json:"configOptions"`
}

// A configOption is what newer agents have in place of modes and models.
type configOption struct {
	ID       string        `json:"id"`
	Category string        `json:"category"` // "mode", "model" …
	Current  any           `json:"currentValue"`
	Values   []configValue `json:"options"`
}

// A configValue is a value, or a group of them.
type configValue struct {
	Value string        `json:"value"`
	Group []configValue `json:"options"`
}

// offers reports whether value is among vs or in a group of them.
func offers(vs []configValue, value string) bool {
	for _, v := range vs {
		if v.Value == value || offers(v.Group, value) {
			return true
		}
	}
	return false
}

// option returns the option of a category, or nil.
func (o opened) option(category string) *configOption {
	for i := range o.Options {
		if o.Options[i].Category == category {
			return &o.Options[i]
		}
	}
	return nil
}

// model returns the model in use, as far as it is told.
func (o opened) model() string {
	if option := o.option("model"); option != nil {
		name, _ := option.Current.(string)
		return name
	}
	return o.Models.Current
}

// An outcome is the answer to session/prompt.
type outcome struct {
	Reason string `json:"stopReason"`
	Usage  struct {
		Input      int64 `json:"inputTokens"`
		Output     int64 `json:"outputTokens"`
		CacheRead  int64 `json:"cachedReadTokens"`
		CacheWrite int64 `json:"cachedWriteTokens"`
	} `json:"usage"`
	Meta struct {
		Quota struct {
			Tokens struct {
				Input  int64 `json:"input_tokens"`
				Output int64 `json:"output_tokens"`
			} `json:"token_count"`
		} `json:"quota"` // of Gemini
	} `json:"_meta"`
}

// A notice is session/update.
type notice struct {
	Session string          `json:"sessionId"`
	Update  json.RawMessage `json:"update"`
}

// A chunk is a piece of text in an update.
type chunk struct {
	Message string `json:"messageId"` // which it is a piece of; "" if the agent does not say
	Content struct {
		Text string `json:"text"`
	} `json:"content"`
}

// A plan is what the agent means to do.
type plan struct {
	Entries []struct {
		Content string `json:"content"`
		Status  string `json:"status"` // pending, in_progress, completed
	} `json:"entries"`
}

// A bill is what the session has cost so far.
type bill struct {
	Cost *struct {
		Amount   float64 `json:"amount"`
		Currency string  `json:"currency"`
	} `json:"cost"`
}

// A toolCall is something the agent does. Its parts come in several messages;
// each replaces what it has.
type toolCall struct {
	ID        string          `json:"toolCallId"`
	Title     string          `json:"title"`
	Kind      string          `json:"kind"`   // read, edit, delete, move, search, execute, think, fetch, switch_mode, other
	Status    string          `json:"status"` // pending, in_progress, completed, failed
	Locations []location      `json:"locations"`
	Content   []content       `json:"content"`
	Input     json.RawMessage `json:"rawInput"`
	Output    json.RawMessage `json:"rawOutput"`
	Meta      struct {
		ClaudeCode struct {
			Tool string `json:"toolName"`
		} `json:"claudeCode"`
	} `json:"_meta"`
}

type location struct {
	Path string `json:"path"`
}

type content struct {
	Type    string `json:"type"` // content, diff, terminal
	Path    string `json:"path"` // of a diff
	Content struct {
		Text string `json:"text"`
	} `json:"content"`
}

// with returns c with the parts that newer has.
func (c toolCall) with(newer toolCall) toolCall {
	c.ID = newer.ID
	c.Title = cmp.Or(newer.Title, c.Title)
	c.Kind = cmp.Or(newer.Kind, c.Kind)
	c.Status = cmp.Or(newer.Status, c.Status)
	c.Meta.ClaudeCode.Tool = cmp.Or(newer.Meta.ClaudeCode.Tool, c.Meta.ClaudeCode.Tool)
	if newer.Locations != nil {
		c.Locations = newer.Locations
	}
	if newer.Content != nil {
		c.Content = newer.Content
	}
	if filled(newer.Input) {
		c.Input = newer.Input
	}
	if filled(newer.Output) {
		c.Output = newer.Output
	}
	return c
}

func filled(raw json.RawMessage) bool {
	return len(raw) > 0 && string(raw) != "null" && string(raw) != "{}"
}

// A request is session/request_permission.
type request struct {
	Call    toolCall `json:"toolCall"`
	Options []struct {
		ID   string `json:"optionId"`
		Name string `json:"name"`
		Kind string `json:"kind"`
	} `json:"options"`
}

// read decodes raw into v as far as it has the form that is expected: agents add
// to the protocol, and a member of another kind is no reason to lose the others.
func read(raw []byte, v any) error {
	err := json.Unmarshal(raw, v)
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return nil
	}
	return err
}

// text returns the string members of a JSON object that are called names, in that
// order, or of a list of strings its members.
func text(raw json.RawMessage, names ...string) []string {
	var found []string
	members := map[string]json.RawMessage{}
	agent.Members(raw, func(key, value []byte) { members[string(key)] = value })
	for _, name := range names {
		var one string
		var many []string
		switch {
		case json.Unmarshal(members[name], &one) == nil && one != "":
			found = append(found, one)
		case json.Unmarshal(members[name], &many) == nil:
			found = append(found, many...)
		}
	}
	return found
}
