package modelstub

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A Stub is a running server. Its URL is on 127.0.0.1.
type Stub struct {
	URL string

	mu     sync.Mutex
	script Script
	served map[string]int // faults served, by scenario, turn and key
	log    []Request
	seq    atomic.Int64
}

// A Request is one request that the server got.
type Request struct {
	Method, Path string
	Key          string // API key or bearer token; "jwt:" and the e-mail of a ChatGPT login
	API          string // anthropic, responses, chat, gemini; "" for what is no request of a model
	Model        string
	Scenario     string
	Turn         int
	Status       int
	Fault        string
	Calls        []string // tools called in the answer
	Messages     []Message
}

// Start runs a server with script until t is over.
func Start(t testing.TB, script Script) *Stub {
	t.Helper()
	s := &Stub{script: script, served: map[string]int{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.CloseClientConnections)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Log returns the requests so far, oldest first.
func (s *Stub) Log() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// ServeHTTP answers one request.
func (s *Stub) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	body, err := content(hr)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	rec := Request{Method: hr.Method, Path: hr.URL.RequestURI(), Key: keyOf(hr)}
	defer func() { // also when an answer is cut
		s.mu.Lock()
		defer s.mu.Unlock()
		s.log = append(s.log, rec)
	}()
	api, method := apiOf(hr.URL.Path)
	if api == "" || hr.Method != http.MethodPost {
		rec.Status = beside(w, hr)
		return
	}
	r, err := parse(api, body)
	if err != nil {
		rec.Status = http.StatusBadRequest
		http.Error(w, `{"error":{"message":"stub: `+err.Error()+`"}}`, rec.Status)
		return
	}
	r.key = rec.Key
	if api == "gemini" {
		r.stream = method == "streamGenerateContent"
		if r.model == "" {
			r.model, _, _ = strings.Cut(hr.URL.Path[strings.LastIndexByte(hr.URL.Path, '/')+1:], ":")
		}
	}
	switch {
	case method == "countTokens":
		rec.Status = reply(w, 200, r.wrap(object{"totalTokens": len(body) / 4}))
	case strings.HasSuffix(hr.URL.Path, "/count_tokens"):
		rec.Status = reply(w, 200, object{"input_tokens": len(body) / 4})
	default:
		s.answer(w, hr, r, len(body), &rec)
	}
}

func (s *Stub) answer(w http.ResponseWriter, hr *http.Request, r *request, size int, rec *Request) {
	name, n, t := s.choose(r)
	rec.API, rec.Model, rec.Scenario, rec.Turn, rec.Fault, rec.Messages = r.api, r.model, name, n, t.Fault, r.messages
	wait(hr, time.Duration(t.DelayMS)*time.Millisecond)
	for key, value := range t.Headers {
		w.Header().Set(key, value)
	}
	if t.Fault != "" && t.Fault != "cut" {
		rec.Status = fault(w, hr, r, t)
		return
	}
	rec.Status = 200
	calls := s.calls(r, t)
	if t.In == 0 {
		t.In = size / 4
	}
	if t.Out == 0 {
		t.Out = 1 + len(t.Say)/4
		for _, c := range calls {
			t.Out += len(c.args) / 4
		}
	}
	for _, c := range calls {
		rec.Calls = append(rec.Calls, c.name)
	}
	a := &answer{w: w, r: r, t: t, calls: calls, id: "stub" + s.callID()[len("call_stub"):]}
	a.send()
}

func content(hr *http.Request) ([]byte, error) {
	body, err := io.ReadAll(hr.Body)
	if err != nil || hr.Header.Get("Content-Encoding") != "gzip" {
		return body, err
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// keyOf returns the key of a request. Codex with a ChatGPT login sends a JWT:
// whose it is says more.
func keyOf(hr *http.Request) string {
	for _, name := range []string{"X-Api-Key", "X-Goog-Api-Key", "Authorization", "Api-Key"} {
		v := strings.TrimPrefix(hr.Header.Get(name), "Bearer ")
		if v == "" {
			continue
		}
		if parts := strings.Split(v, "."); len(parts) == 3 && strings.HasPrefix(v, "eyJ") {
			var claims struct {
				Email string `json:"email"`
			}
			b, err := base64.RawURLEncoding.DecodeString(parts[1])
			if err == nil && json.Unmarshal(b, &claims) == nil && claims.Email != "" {
				return "jwt:" + claims.Email
			}
		}
		return v
	}
	return hr.URL.Query().Get("key")
}

func apiOf(path string) (api, method string) {
	for suffix, api := range map[string]string{
		"/messages": "anthropic", "/messages/count_tokens": "anthropic",
		"/responses": "responses", "/chat/completions": "chat",
	} {
		if strings.HasSuffix(path, suffix) {
			return api, ""
		}
	}
	_, method, _ = strings.Cut(path, ":")
	if slices.Contains([]string{"generateContent", "streamGenerateContent", "countTokens"}, method) {
		return "gemini", method
	}
	return "", ""
}

func wait(hr *http.Request, d time.Duration) {
	if d == 0 {
		return
	}
	select {
	case <-time.After(d):
	case <-hr.Context().Done():
	}
}

func (r *request) wrap(v any) any {
	if r.wrapped {
		return object{"response": v}
	}
	return v
}

// reply sends v and returns status.
func reply(w http.ResponseWriter, status int, v any) int {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, compact(v)+"\n") // a client that has gone needs no answer
	return status
}
