package modelstub

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A failure is an answer in a vendor's own words. Headers are set only where a
// turn does not set them itself.
type failure struct {
	status  int
	body    any
	headers map[string]string
}

// fault answers r with the fault of t and returns the status.
func fault(w http.ResponseWriter, hr *http.Request, r *request, t Turn) int {
	if t.Fault == "hang" {
		w.WriteHeader(200)
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
		wait(hr, time.Hour)
		return 200
	}
	if t.ResetIn == 0 {
		t.ResetIn = 3600
	}
	resets := time.Now().Add(time.Duration(t.ResetIn) * time.Second).Unix()
	var f failure
	switch r.api {
	case "anthropic":
		f = anthropicFault(r, t, resets)
	case "gemini":
		f = geminiFault(r, t, resets)
	default:
		f = openAIFault(t, resets)
	}
	for key, value := range f.headers {
		if w.Header().Get(key) == "" {
			w.Header().Set(key, value)
		}
	}
	if t.Status != 0 {
		f.status = t.Status
	}
	if len(t.Body) == 0 {
		return reply(w, f.status, f.body)
	}
	var text string
	if json.Unmarshal(t.Body, &text) != nil {
		return reply(w, f.status, t.Body)
	}
	w.Header().Set("Content-Type", "text/plain")
	w.WriteHeader(f.status)
	_, _ = io.WriteString(w, text) // a client that has gone needs no answer
	return f.status
}

func anthropicFault(r *request, t Turn, resets int64) failure {
	e := func(status int, kind, text string, headers map[string]string) failure {
		return failure{status, object{"type": "error", "error": object{"type": kind, "message": text}, "request_id": "req_stub"}, headers}
	}
	switch t.Fault {
	case "usage_limit": // a subscription's 5-hour window is used up
		return e(429, "rate_limit_error", "This request would exceed your account's rate limit. Please try again later.", unifiedLimit(t, resets))
	case "rate_limit": // an API key's limit a minute
		return e(429, "rate_limit_error", "This request would exceed your organization's rate limit of 50 requests per minute.", map[string]string{"retry-after": "2"})
	case "insufficient_quota":
		return e(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.", nil)
	case "auth":
		text := "invalid x-api-key"
		if strings.HasPrefix(r.key, "sk-ant-oat") {
			text = "OAuth token has expired. Please obtain a new token or refresh your existing token."
		}
		return e(401, "authentication_error", text, map[string]string{"x-should-retry": "false"})
	case "forbidden":
		return e(403, "permission_error", "OAuth authentication is currently not allowed for this organization.", nil)
	case "overloaded":
		return e(529, "overloaded_error", "Overloaded", nil)
	case "bad_request":
		return e(400, "invalid_request_error", "stub: bad request", nil)
	}
	return e(500, "api_error", "Internal server error", nil)
}

func unifiedLimit(t Turn, resets int64) map[string]string {
	const prefix = "anthropic-ratelimit-unified-"
	at := strconv.FormatInt(resets, 10)
	return map[string]string{
		prefix + "status": "rejected", prefix + "reset": at, prefix + "representative-claim": "five_hour",
		prefix + "5h-status": "rejected", prefix + "5h-reset": at, prefix + "5h-utilization": "1.0",
		prefix + "7d-status": "allowed", prefix + "7d-reset": strconv.FormatInt(resets+3*86400, 10), prefix + "7d-utilization": "0.4",
		prefix + "fallback-percentage": "0.5", prefix + "overage-status": "rejected", prefix + "overage-disabled-reason": "org_level_disabled",
		"retry-after": strconv.Itoa(t.ResetIn), "x-should-retry": "false",
	}
}

func openAIFault(t Turn, resets int64) failure {
	e := func(status int, kind string, code any, text string) failure {
		return failure{status, object{"error": object{"message": text, "type": kind, "param": nil, "code": code}}, nil}
	}
	switch t.Fault {
	case "usage_limit": // a ChatGPT plan's window is used up
		return failure{429, object{"error": object{"message": "The usage limit has been reached", "type": "usage_limit_reached", "param": nil, "code": nil,
			"plan_type": "plus", "resets_at": resets, "resets_in_seconds": t.ResetIn}}, map[string]string{
			"x-codex-primary-used-percent": "100", "x-codex-primary-window-minutes": "300", "x-codex-primary-reset-at": strconv.FormatInt(resets, 10),
			"x-codex-secondary-used-percent": "40", "x-codex-secondary-window-minutes": "10080", "x-codex-secondary-reset-at": strconv.FormatInt(resets+3*86400, 10),
		}}
	case "rate_limit":
		f := e(429, "tokens", "rate_limit_exceeded", "Rate limit reached for stub-model in organization org-stub on tokens per min (TPM): Limit 30000, Used 30000, Requested 100. Please try again in 2s.")
		f.headers = map[string]string{"retry-after": "2"}
		return f
	case "insufficient_quota":
		return e(429, "insufficient_quota", "insufficient_quota", "You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.")
	case "auth":
		return e(401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided: dummy. You can find your API key at https://platform.openai.com/account/api-keys.")
	case "forbidden":
		return e(403, "invalid_request_error", "forbidden", "Country, region, or territory not supported")
	case "overloaded":
		return e(503, "server_error", "server_is_overloaded", "The server is currently overloaded with other requests. Sorry about that!")
	case "bad_request":
		return e(400, "invalid_request_error", nil, "stub: bad request")
	}
	return e(500, "server_error", nil, "The server had an error while processing your request. Sorry about that!")
}

func geminiFault(r *request, t Turn, resets int64) failure {
	e := func(status int, kind, text string, details ...any) failure {
		o := object{"code": status, "message": text, "status": kind}
		if details != nil {
			o["details"] = details
		}
		return failure{status, object{"error": o}, nil}
	}
	switch t.Fault {
	case "usage_limit":
		if r.wrapped {
			return e(429, "RESOURCE_EXHAUSTED", fmt.Sprintf("You have exhausted your capacity on this model. Your quota will reset after %dh%dm%ds.", t.ResetIn/3600, t.ResetIn/60%60, t.ResetIn%60),
				reason("QUOTA_EXHAUSTED", "cloudcode-pa.googleapis.com", object{"uiMessage": "true", "model": r.model, "quotaResetDelay": strconv.Itoa(t.ResetIn) + "s", "quotaResetTimeStamp": time.Unix(resets, 0).UTC().Format(time.RFC3339)}),
				retryIn(t.ResetIn))
		}
		return e(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.\n* Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 250, model: "+r.model+"\nPlease retry in "+strconv.Itoa(t.ResetIn)+"s.",
			object{"@type": "type.googleapis.com/google.rpc.Help", "links": []any{object{"description": "Learn more about Gemini API quotas", "url": "https://ai.google.dev/gemini-api/docs/rate-limits"}}},
			quota(r, "generativelanguage.googleapis.com/generate_content_free_tier_requests", "GenerateRequestsPerDayPerProjectPerModel-FreeTier", "250"), retryIn(t.ResetIn))
	case "rate_limit":
		return e(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota).",
			quota(r, "generativelanguage.googleapis.com/generate_content_requests", "GenerateRequestsPerMinutePerProjectPerModel", "10"), retryIn(2))
	case "insufficient_quota":
		return e(429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted.")
	case "auth":
		if r.wrapped {
			return e(401, "UNAUTHENTICATED", "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.")
		}
		return e(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", reason("API_KEY_INVALID", "googleapis.com", object{"service": "generativelanguage.googleapis.com"}))
	case "forbidden":
		return e(403, "PERMISSION_DENIED", "The caller does not have permission")
	case "overloaded":
		return e(503, "UNAVAILABLE", "The model is overloaded. Please try again later.")
	case "bad_request":
		return e(400, "INVALID_ARGUMENT", "stub: bad request")
	}
	return e(500, "INTERNAL", "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting")
}

func reason(word, domain string, metadata object) object {
	return object{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": word, "domain": domain, "metadata": metadata}
}

func retryIn(seconds int) object {
	return object{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": strconv.Itoa(seconds) + "s"}
}

func quota(r *request, metric, id, value string) object {
	return object{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": []any{object{
		"quotaMetric": metric, "quotaId": id, "quotaDimensions": object{"location": "global", "model": r.model}, "quotaValue": value}}}
}
