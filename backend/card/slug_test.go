package card

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"offrun/backend/work"
)

func TestF27Slug(t *testing.T) {
	for _, tt := range []struct {
		name string
		want work.CardID
	}{
		{"login", "login"},
		{"Fix Login  API", "fix-login-api"},
		{"fix_login.v2", "fix-login-v2"},
		{"修复登录接口", "修复登录接口"},
		{"修复：登录 接口", "修复-登录-接口"},
		{"ＡＰＩ", "api"},
		{"Prüfung", "prüfung"},
		{"Pru\u0308fung", "prüfung"}, // as macOS may hand it out
		{"🎉 party", "party"},
		{"-rf", "rf"},
		{"../../etc", "etc"},
		{"a.lock", "a-lock"},
		{"@{u}", "u"},
	} {
		if got := Slug(tt.name); got != tt.want {
			t.Errorf("Slug(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Names without a letter, and names too long to be told apart by their
// beginning, have slugs of their own.
func TestF27SlugsDiffer(t *testing.T) {
	seen := map[work.CardID]string{}
	for _, name := range []string{
		"", "🎉", "🎉🎉", "👩‍💻", "!!!", "。。。", " ", "\n", ".", "..",
		strings.Repeat("a", 200) + "1", strings.Repeat("a", 200) + "2",
		strings.Repeat("登", 100) + "一", strings.Repeat("登", 100) + "二",
	} {
		slug := Slug(name)
		if other, taken := seen[slug]; taken {
			t.Errorf("%q and %q are both %q", name, other, slug)
		}
		if slug == "" || len(slug) > maxSlug {
			t.Errorf("Slug(%q) = %q", name, slug)
		}
		seen[slug] = name
	}
}

func FuzzSlug(f *testing.F) {
	for _, seed := range []string{"Fix login", "修复", "🎉", "", "Pru\u0308fung", "İ", "\xff", "a\u0301\u0301", strings.Repeat("é-", 60)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		slug := string(Slug(name))
		switch {
		case slug == "" || len(slug) > maxSlug || !utf8.ValidString(slug):
			t.Errorf("Slug(%q) = %q", name, slug)
		case strings.HasPrefix(slug, "-") || strings.HasSuffix(slug, "-") || strings.Contains(slug, "--"):
			t.Errorf("Slug(%q) = %q: dashes", name, slug)
		case strings.ContainsFunc(slug, func(r rune) bool {
			return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
		}):
			t.Errorf("Slug(%q) = %q: odd characters", name, slug)
		case !norm.NFC.IsNormalString(slug):
			t.Errorf("Slug(%q) = %q: not in normal form", name, slug)
		case string(Slug(slug)) != slug:
			t.Errorf("Slug(%q) = %q, and of that %q", name, slug, Slug(slug))
		case Slug(norm.NFD.String(name)) != Slug(norm.NFC.String(name)):
			t.Errorf("%q: the slug depends on how accents are stored", name)
		}
	})
}
