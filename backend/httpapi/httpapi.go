// Package httpapi serves the operations of package ops over HTTP, and asks them
// from the other side. For now there is one door: a unix socket that only its
// owner may open, whose peers are checked to be the same user.
package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"offrun/backend/bench"
	"offrun/backend/ops"
	"offrun/backend/work"
)

// status maps every code of work to the HTTP status that stands for it.
var status = map[work.Code]int{
	work.Invalid:     http.StatusBadRequest,
	work.NotFound:    http.StatusNotFound,
	work.Conflict:    http.StatusConflict,
	work.Busy:        http.StatusServiceUnavailable,
	work.Untrusted:   http.StatusForbidden,
	work.Unavailable: http.StatusFailedDependency,
	work.Internal:    http.StatusInternalServerError,
}

// A Problem is the body of every error: RFC 9457 problem details with the code
// of work, the next step, and what the error is about.
type Problem struct {
	Status int      `json:"status"`
	Title  string   `json:"title"`
	Detail string   `json:"detail"`
	Code   string   `json:"code" doc:"stable, for programs"`
	Next   string   `json:"next,omitempty" doc:"what to do about it"`
	List   []string `json:"list,omitempty" doc:"the paths, commands or findings it is about"`
}

func (p *Problem) Error() string { return p.Detail }

// GetStatus is asked by huma.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType makes errors application/problem+json.
func (p *Problem) ContentType(string) string { return "application/problem+json" }

func problem(e *work.Error) *Problem {
	s := status[e.Code]
	return &Problem{Status: s, Title: http.StatusText(s), Detail: e.Msg, Code: string(e.Code), Next: e.Next, List: e.List}
}

// Handler serves every row of ops.Table.
type Handler struct {
	mux    *http.ServeMux
	api    huma.API
	bench  *bench.Bench
	log    *slog.Logger
	asking atomic.Int64 // requests in progress
}

// New returns a handler for all operations of b.
func New(b *bench.Bench, version string, log *slog.Logger) *Handler {
	h := &Handler{mux: http.NewServeMux(), bench: b, log: log}
	huma.NewError = refuse
	c := huma.DefaultConfig("Offrun", version)
	c.CreateHooks = nil // no $schema in answers: they are the types of package work and nothing else
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "/v1/openapi", "", ""
	h.api = humago.New(h.mux, c)
	for _, o := range ops.Table {
		o.Register(h.api, b, h.fail)
	}
	return h
}

// OpenAPI returns the description of the API.
func (h *Handler) OpenAPI() *huma.OpenAPI { return h.api.OpenAPI() }

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.asking.Add(1)
	defer h.asking.Add(-1)
	// Landing, trusting and cleaning are a person's word; an agent that finds our
	// socket must not speak it.
	if r.Method != http.MethodGet && fromAttempt(r.Context()) {
		h.refuseAttempt(w)
		return
	}
	h.mux.ServeHTTP(w, r)
}

func (h *Handler) refuseAttempt(w http.ResponseWriter) {
	p := problem(work.Errorf(work.Untrusted, "a program that belongs to an attempt may look, and change nothing").
		Do("What is landed, trusted, started or cleaned is for a person to say, outside of any attempt."))
	w.Header().Set("Content-Type", p.ContentType(""))
	w.WriteHeader(p.Status)
	if err := json.NewEncoder(w).Encode(p); err != nil {
		h.log.Debug("refusal not sent", "err", err)
	}
}

// Asking returns how many requests are being answered.
func (h *Handler) Asking() int64 { return h.asking.Load() }

// fail turns an operation's error into what the API answers, and keeps what may
// not be shown in the log.
func (h *Handler) fail(err error) error {
	if errors.Is(err, context.Canceled) {
		return problem(work.Errorf(work.Busy, "the request was cancelled"))
	}
	if work.CodeOf(err) == work.Internal {
		h.log.Error("request failed", "err", err)
	}
	return problem(work.Public(err))
}

// refuse is what huma calls for a request that does not fit its operation.
func refuse(s int, msg string, errs ...error) huma.StatusError {
	p := &Problem{Status: s, Title: http.StatusText(s), Detail: msg, Code: string(work.Invalid)}
	switch {
	case s == http.StatusNotFound:
		p.Code = string(work.NotFound)
	case s >= http.StatusInternalServerError:
		p.Code = string(work.Internal)
	}
	for _, err := range errs {
		if err != nil {
			p.List = append(p.List, err.Error())
		}
	}
	return p
}
