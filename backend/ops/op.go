// Package ops lists everything that can be asked of Offrun from outside. Each
// operation is one row of Table; the REST server is made from the rows, and
// every command of the command line asks through one.
package ops

import (
	"context"
	"fmt"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"offrun/backend/bench"
	"offrun/backend/redact"
	"offrun/backend/work"
)

// A Row describes an operation. Path's wildcards and the query are named by the
// tags of its input's fields; the input's Body field, if there is one, travels
// as the JSON body.
type Row struct {
	Name    string // "run.start": noun, dot, verb
	Method  string // of HTTP
	Path    string // "/v1/runs/{run}"
	Summary string // one sentence, shown by help and in the API's listing
	Command string // the command that asks it, without "offrun": "project add"
	Read    bool   // answered from the database and files alone: no bench is needed
}

// An Op is a row with its types and the function that answers it.
type Op[In, Out any] struct {
	Row
	do func(context.Context, *bench.Bench, In) (Out, error)
}

// A Door carries a question to a bench and brings back the answer. out points
// to the operation's output. The error is a *work.Error if the bench said no.
type Door interface {
	Ask(ctx context.Context, row Row, in, out any) error
}

// Ask asks through d.
func (o Op[In, Out]) Ask(ctx context.Context, d Door, in In) (Out, error) {
	var out Out
	err := d.Ask(ctx, o.Row, in, &out)
	return out, err
}

// A Listed is an operation in Table, whatever its types.
type Listed interface {
	Info() Row
	Types() (in, out reflect.Type)
	// Register adds the operation to a REST API; fail turns its errors into
	// what the API answers.
	Register(api huma.API, b *bench.Bench, fail func(error) error)
	answer(ctx context.Context, b *bench.Bench, in any) (any, error)
}

// Info returns the row itself.
func (o Op[In, Out]) Info() Row { return o.Row }

// Types returns what goes in and what comes out.
func (o Op[In, Out]) Types() (in, out reflect.Type) {
	return reflect.TypeFor[In](), reflect.TypeFor[Out]()
}

// Register adds o to api.
func (o Op[In, Out]) Register(api huma.API, b *bench.Bench, fail func(error) error) {
	huma.Register(api, huma.Operation{
		OperationID: o.Name, Method: o.Method, Path: o.Path, Summary: o.Summary,
		DefaultStatus: 200, // also where nothing comes back: the answer is {}
	}, func(ctx context.Context, in *In) (*struct{ Body Out }, error) {
		out, err := o.ask(ctx, b, *in)
		if err != nil {
			return nil, fail(err)
		}
		return &struct{ Body Out }{out}, nil
	})
}

func (o Op[In, Out]) answer(ctx context.Context, b *bench.Bench, in any) (any, error) {
	return o.ask(ctx, b, in.(In))
}

// ask answers in, without the secrets in the answer. Every door gets it from here.
// A patch or a tree must not be changed: a field with one is tagged redact:"-".
func (o Op[In, Out]) ask(ctx context.Context, b *bench.Bench, in In) (Out, error) {
	out, err := o.do(ctx, b, in)
	r := b.Redactor()
	return redact.Value(r, out), r.Error(err)
}

// Local is a Door to a bench in this process, for reading without a running one.
type Local struct{ Bench *bench.Bench }

// Ask answers row in this process.
func (l Local) Ask(ctx context.Context, row Row, in, out any) error {
	for _, o := range Table {
		if o.Info().Name != row.Name {
			continue
		}
		got, err := o.answer(ctx, l.Bench, in)
		if err == nil {
			reflect.ValueOf(out).Elem().Set(reflect.ValueOf(got))
		}
		return err
	}
	return fmt.Errorf("operation %q is not in the table", row.Name)
}

// None is the input or output of an operation that has none.
type None struct{}

// ProjectRef names a project in a path.
type ProjectRef struct {
	Project work.ProjectID `path:"project" json:"project" doc:"project id"`
}

// RunRef names a run in a path.
type RunRef struct {
	Run work.RunID `path:"run" json:"run" doc:"run id, an unambiguous end of one, or last"`
}

// AttemptRef names an attempt in a path.
type AttemptRef struct {
	RunRef
	Attempt work.AttemptName `path:"attempt" json:"attempt" doc:"name of the attempt in its run"`
}
