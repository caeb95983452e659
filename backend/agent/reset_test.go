package agent

import (
	"testing"
	"time"
)

func TestF85ResetTime(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones on this machine:", err)
	}
	seen := time.Date(2026, 11, 29, 11, 24, 30, 0, time.UTC)
	for _, tt := range []struct {
		text string
		seen time.Time
		want string
	}{
		{"You've hit your 5-hour limit · resets 1:17pm (UTC)", seen, "2026-11-29T13:17:00Z"},
		{"You've hit your weekly limit · resets Dec 3, 12:02am (UTC)", seen, "2026-12-03T00:02:00Z"},
		{"resets 3am (Europe/Berlin)", seen, "2026-11-30T02:00:00Z"},
		{"resets at 3pm", seen.In(berlin), "2026-11-29T14:00:00Z"},
		{"try again at 1:24 PM.", seen, "2026-11-29T13:24:00Z"},
		{"try again at 11:24 AM.", seen, "2026-11-29T11:24:00Z"},
		{"try again at 9:00 AM.", seen, "2026-11-30T09:00:00Z"},
		{"try again at Dec 2nd, 2026 11:39 AM.", seen, "2026-12-02T11:39:00Z"},
		{"resets Jan 2, 4pm (UTC)", seen, "2027-01-02T16:00:00Z"},
		{"Claude AI usage limit reached|1795958258", seen, "2026-11-29T13:17:38Z"},
		{"Your quota will reset after 2h0m0s.. Retrying after 7574687ms...", seen, "2026-11-29T13:24:30Z"},
		{"Please retry in 7200s.", seen, "2026-11-29T13:24:30Z"},
		{"try again in 3 days 4 hours 5 minutes.", seen, "2026-12-02T15:29:30Z"},
		{"limit ends 2026-11-29T14:00:00+01:00", seen, "2026-11-29T13:00:00Z"},
		{"try again at 13:99 PM", seen, ""},
		{"try again later", seen, ""},
		{"", seen, ""},
	} {
		got, ok := ResetTime(tt.text, tt.seen)
		if ok != (tt.want != "") || ok && got.Format(time.RFC3339) != tt.want {
			t.Errorf("ResetTime(%q) = %v, %v; want %s", tt.text, got, ok, tt.want)
		}
	}
}

func FuzzResetTime(f *testing.F) {
	f.Add("resets Dec 3, 12:02am (UTC)")
	f.Add("try again in 3 days 4 hours")
	f.Fuzz(func(t *testing.T, text string) {
		if got, ok := ResetTime(text, at); ok == got.IsZero() {
			t.Errorf("ResetTime(%q) = %v, %v", text, got, ok)
		}
		RetryDelay(text)
	})
}
