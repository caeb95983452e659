package modelstub

import (
	"net/http"
	"strings"
	"time"
)

// beside answers the small requests that agents make beside those for a model.
func beside(w http.ResponseWriter, hr *http.Request) int {
	path := hr.URL.Path
	switch {
	case hr.Header.Get("Upgrade") != "": // codex tries a WebSocket first; 426 sends it to HTTPS at once
		http.Error(w, "stub: no WebSocket here", http.StatusUpgradeRequired)
		return http.StatusUpgradeRequired
	case strings.HasSuffix(path, "/wham/usage") || strings.HasSuffix(path, "/api/codex/usage"):
		return reply(w, 200, object{"plan_type": "plus", "credits": nil, "rate_limit": object{
			"allowed": true, "limit_reached": false, "primary_window": window(42, 18000), "secondary_window": window(17, 604800)}})
	case strings.HasSuffix(path, "/models") && hr.Method == http.MethodGet:
		return reply(w, 200, object{"object": "list", "models": []any{},
			"data": []any{object{"id": "stub-model", "object": "model", "owned_by": "stub"}}})
	case strings.HasSuffix(path, ":loadCodeAssist"):
		tier := object{"id": "standard-tier", "name": "Gemini Code Assist", "userDefinedCloudaicompanionProject": false}
		return reply(w, 200, object{"currentTier": tier, "cloudaicompanionProject": "stub-project",
			"allowedTiers": []any{object{"id": "standard-tier", "name": "Gemini Code Assist", "isDefault": true, "userDefinedCloudaicompanionProject": false}}})
	case strings.HasSuffix(path, ":onboardUser"):
		return reply(w, 200, object{"name": "op", "done": true, "response": object{"cloudaicompanionProject": object{"id": "stub-project", "name": "stub-project"}}})
	case strings.Contains(path, "v1internal"):
		return reply(w, 200, object{})
	case strings.HasSuffix(path, "/oauth/token"): // codex: CODEX_REFRESH_TOKEN_URL_OVERRIDE
		return reply(w, 401, object{"error": object{"message": "Your refresh token has expired.", "type": "invalid_request_error", "param": nil, "code": "refresh_token_expired"}})
	case path == "/" || hr.Method == http.MethodHead:
		w.WriteHeader(200)
		return 200
	}
	// Among these is /backend-api/wham/accounts/check: codex then uses its
	// configured base URL. An answer would have to name an HTTPS backend.
	return reply(w, 404, object{"error": object{"type": "not_found_error", "message": "stub: no such path " + path}})
}

func window(percent, seconds int) object {
	return object{"used_percent": percent, "limit_window_seconds": seconds, "reset_after_seconds": seconds / 2,
		"reset_at": time.Now().Unix() + int64(seconds/2)}
}
