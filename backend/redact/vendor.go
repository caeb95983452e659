package redact

// A token is a secret that its vendor has given a shape: a prefix, and behind it
// so many bytes of a set.
type token struct {
	kind     string
	prefixes []string
	chars    *charset
	min, max int // bytes behind the prefix; max 0 is no limit
}

// maxToken is how much of a token is looked at; the longest known are half of it.
const maxToken = 4096

// minCut is how much of a token must be there where a text was shortened.
const minCut = 6

// tokens is sorted by what they open: models, code, clouds, messages, the rest.
// The shortest that a vendor hands out counts, less a little: a later one may be
// shorter. Ids and keys that are public (AC… of Twilio, pk_live_ of Stripe) are
// no secrets.
var tokens = []token{
	{"anthropic key", []string{"sk-ant-"}, dashed, 16, 0},
	{"openai key", []string{"sk-proj-", "sk-svcacct-", "sk-admin-"}, dashed, 24, 0},
	{"openrouter key", []string{"sk-or-v1-", "sk-or-"}, dashed, 20, 0},
	{"langfuse key", []string{"sk-lf-"}, dashed, 30, 0},
	{"xai key", []string{"xai-"}, alnum, 30, 0},
	{"groq key", []string{"gsk_"}, alnum, 30, 0},
	{"perplexity key", []string{"pplx-"}, alnum, 30, 0},
	{"cerebras key", []string{"csk-"}, alnum, 30, 0},
	{"nvidia key", []string{"nvapi-"}, dashed, 40, 0},
	{"replicate token", []string{"r8_"}, alnum, 30, 0},
	{"together key", []string{"tgp_v1_"}, dashed, 30, 0},
	{"hugging face token", []string{"hf_", "api_org_"}, alnum, 30, 0},
	{"sourcegraph token", []string{"sgp_", "sgamp_"}, word, 36, 0},
	{"langchain key", []string{"lsv2_pt_", "lsv2_sk_"}, word, 32, 0},

	{"github token", []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, dotted, 30, 0},
	{"github token", []string{"github_pat_"}, word, 30, 0},
	{"gitlab token", []string{"glpat-", "gldt-", "glrt-", "glrtr-", "glptt-", "glcbt-", "glsoat-", "gloas-", "glagent-", "glimt-", "glffct-", "glft-", "GR1348941"}, dotted, 16, 0},
	{"bitbucket token", []string{"ATBB", "ATCTT3xFfG", "BBDC-"}, base64, 28, 0},
	{"atlassian token", []string{"ATATT3xFfG"}, base64, 40, 0},
	{"npm token", []string{"npm_"}, alnum, 32, 0},
	{"pypi token", []string{"pypi-AgE"}, dashed, 40, 0},
	{"rubygems key", []string{"rubygems_"}, hexa, 40, 0},
	{"crates.io token", []string{"cio"}, alnum, 32, 32},
	{"nuget key", []string{"oy2"}, alnum, 43, 43},
	{"clojars token", []string{"CLOJARS_"}, alnum, 50, 0},
	{"docker token", []string{"dckr_pat_", "dckr_oat_"}, dashed, 24, 0},
	{"artifactory token", []string{"AKCp"}, alnum, 60, 0},
	{"artifactory token", []string{"cmVmd"}, alnum, 59, 59},
	{"circleci token", []string{"CCIPAT_", "CCIPRJ_"}, word, 30, 0},
	{"buildkite token", []string{"bkua_", "bkaa_"}, alnum, 36, 0},
	{"sentry token", []string{"sntrys_", "sntryu_"}, base64, 40, 0},
	{"postman key", []string{"PMAK-"}, dashed, 40, 0},
	{"linear key", []string{"lin_api_", "lin_oauth_"}, alnum, 32, 0},
	{"figma token", []string{"figd_", "figu_"}, dashed, 36, 0},
	{"notion token", []string{"ntn_"}, alnum, 40, 0},
	{"notion token", []string{"secret_"}, alnum, 43, 43},
	{"pulumi token", []string{"pul-"}, hexa, 40, 40},

	{"aws key", []string{"AKIA", "ASIA", "ABIA", "ACCA"}, upper, 16, 16},
	{"aws bedrock key", []string{"ABSK"}, base64, 80, 0},
	{"aws bedrock key", []string{"bedrock-api-key-"}, base64, 40, 0},
	{"google key", []string{"AIza"}, dashed, 30, 0},
	{"google token", []string{"ya29."}, dotted, 20, 0},
	{"google token", []string{"1//0"}, dashed, 40, 0},
	{"google secret", []string{"GOCSPX-"}, dashed, 20, 0},
	{"digitalocean token", []string{"dop_v1_", "doo_v1_", "dor_v1_"}, hexa, 40, 0},
	{"alibaba key", []string{"LTAI"}, alnum, 12, 26},
	{"tencent key", []string{"AKID"}, alnum, 32, 36},
	{"volcengine key", []string{"AKLT"}, alnum, 30, 0},
	{"heroku key", []string{"HRKU-"}, dashed, 36, 0},
	{"fly token", []string{"fm2_", "fm1r_", "fm1a_", "fo1_"}, base64, 40, 0},
	{"netlify token", []string{"nfp_", "nfc_"}, alnum, 36, 0},
	{"supabase key", []string{"sbp_"}, hexa, 40, 0},
	{"supabase key", []string{"sb_secret_"}, dashed, 20, 0},
	{"planetscale token", []string{"pscale_tkn_", "pscale_pw_", "pscale_oauth_"}, set("azAZ09", "_-.="), 30, 0},
	{"databricks token", []string{"dapi"}, hexa, 32, 34},
	{"doppler token", []string{"dp.pt.", "dp.st.", "dp.ct.", "dp.sa."}, dotted, 36, 0},
	{"vault token", []string{"hvs.", "hvb.", "hvr."}, dashed, 24, 0},
	{"1password token", []string{"ops_eyJ"}, base64, 60, 0},
	{"grafana token", []string{"glsa_", "glc_", "eyJrIjoi"}, base64, 32, 0},
	{"new relic key", []string{"NRAK-", "NRII-", "NRJS-", "NRAA-"}, dashed, 19, 0},
	{"dynatrace token", []string{"dt0c01.", "dt0s01."}, dotted, 60, 0},
	{"tailscale key", []string{"tskey-"}, dashed, 20, 0},
	{"age key", []string{"AGE-SECRET-KEY-1"}, upper, 40, 0},
	{"openshift token", []string{"sha256~"}, dashed, 43, 43},
	{"cloudflare key", []string{"v1.0-"}, dashed, 100, 0},

	{"slack token", []string{"xoxb-", "xoxp-", "xoxa-", "xoxo-", "xoxe-", "xoxr-", "xoxs-", "xoxc-", "xoxd-", "xoxe.xoxp-", "xoxe.xoxb-", "xapp-"}, set("azAZ09", "-%+/="), 16, 0},
	{"slack webhook", []string{"hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/"}, set("azAZ09", "/"), 20, 0},
	{"discord webhook", []string{"discord.com/api/webhooks/", "discordapp.com/api/webhooks/"}, set("azAZ09", "/_-"), 40, 0},
	{"teams webhook", []string{"webhook.office.com/webhookb2/"}, set("azAZ09", "/-@"), 40, 0},
	{"sendgrid key", []string{"SG."}, set("azAZ09", "_-.="), 50, 0},
	{"brevo key", []string{"xkeysib-", "xsmtpsib-"}, dashed, 60, 0},
	{"resend key", []string{"re_"}, word, 32, 36},
	{"twilio key", []string{"SK0", "SK1", "SK2", "SK3", "SK4", "SK5", "SK6", "SK7", "SK8", "SK9", "SKa", "SKb", "SKc", "SKd", "SKe", "SKf"}, hexa, 31, 31},

	{"stripe key", []string{"sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_prod_", "rk_prod_"}, alnum, 10, 0},
	{"stripe webhook secret", []string{"whsec_"}, base64, 24, 0},
	{"square token", []string{"sq0atp-", "sq0csp-", "EAAAE", "EAAAl"}, dashed, 22, 0},
	{"shopify token", []string{"shpat_", "shpss_", "shpca_", "shppa_"}, hexa, 32, 0},
	{"facebook token", []string{"EAAC", "EAAM"}, alnum, 80, 0},
	{"shippo token", []string{"shippo_live_", "shippo_test_"}, hexa, 40, 0},
	{"easypost key", []string{"EZAK", "EZTK"}, alnum, 54, 0},
	{"contentful token", []string{"CFPAT-"}, dashed, 43, 0},
	{"duffel token", []string{"duffel_live_", "duffel_test_"}, base64, 30, 0},
	{"flutterwave key", []string{"FLWSECK_TEST-", "FLWSECK-"}, dashed, 12, 0},
	{"frame.io token", []string{"fio-u-"}, base64, 40, 0},
	{"adobe secret", []string{"p8e-"}, alnum, 32, 32},
	{"airtable token", []string{"pat"}, dotted, 79, 79},
	{"harness token", []string{"pat.", "sat."}, dotted, 60, 0},
	{"1password key", []string{"A3-"}, set("AZ09", "-"), 30, 36},
	{"octopus key", []string{"API-"}, upper, 26, 26},
	{"settlemint token", []string{"sm_aat_", "sm_pat_", "sm_sat_"}, alnum, 16, 0},
	{"readme key", []string{"rdme_"}, alnum, 60, 0},
	{"prefect key", []string{"pnu_", "pnb_"}, alnum, 36, 0},
	{"scalingo token", []string{"tk-us-"}, dashed, 40, 0},
	{"infracost key", []string{"ico-"}, alnum, 32, 32},
	{"intra42 secret", []string{"s-s4t2ud-", "s-s4t2af-"}, hexa, 64, 64},
	{"clickhouse key", []string{"4b1d"}, alnum, 38, 38},
	{"typeform token", []string{"tfp_"}, dotted, 40, 0},
}

// rule returns what finds t.
func (t token) rule() rule {
	limit := t.max
	if limit == 0 {
		limit = maxToken
	}
	return rule{kind: t.kind, rank: shaped, literals: t.prefixes, match: func(s string, at int, lit string) (int, int, string) {
		if !begins(s, at) {
			return 0, 0, ""
		}
		tail := at + len(lit)
		end := tail + run(s, tail, t.chars, limit)
		for end > tail && s[end-1] == '.' { // the end of a sentence
			end--
		}
		least := t.min
		if isCut(s, end) && mixed(s[tail:end]) {
			least = min(least, minCut)
		}
		if end-tail < least || t.max > 0 && end < len(s) && word[s[end]] || !mixed(s[at:end]) && bits(s[tail:end]) < 3 {
			return 0, 0, ""
		}
		return at, end, ""
	}}
}
