package card

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"offrun/backend/work"
)

// maxSlug is the most bytes of a slug: names of worktrees and refs carry it
// beside an agent and a time, and many file systems end at 255.
const maxSlug = 60

// Slug returns name as it stands in folders, branches and commands: letters and
// digits of any script in lower case, with single dashes between them. Names
// that look the same give the same slug, whichever way their accents are stored.
// A name without a letter or digit, or too long, is told apart from others by a
// hash; so no slug is empty. Slug(Slug(x)) is Slug(x).
func Slug(name string) work.CardID {
	folded := norm.NFKC.String(strings.ToLower(norm.NFKC.String(name)))
	var b strings.Builder
	dash := false
	for _, r := range folded {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r)
		if r == utf8.RuneError || !letter && (!unicode.IsMark(r) || b.Len() == 0 || dash) {
			dash = true
			continue
		}
		if dash && b.Len() > 0 {
			b.WriteByte('-')
		}
		dash = false
		b.WriteRune(r)
	}
	slug := b.String()
	if slug != "" && len(slug) <= maxSlug {
		return work.CardID(slug)
	}
	sum := sha256.Sum256([]byte(norm.NFC.String(name)))
	tail := hex.EncodeToString(sum[:4])
	if slug == "" {
		return work.CardID("card-" + tail)
	}
	cut := maxSlug - len(tail) - 1
	for !utf8.RuneStart(slug[cut]) {
		cut--
	}
	return work.CardID(strings.TrimRight(slug[:cut], "-") + "-" + tail)
}

// idOf returns the id of the card in file, a slash path or a bare name with or
// without its extension.
func idOf(file string) work.CardID {
	base := path.Base(file)
	if ext := path.Ext(base); strings.EqualFold(ext, ".md") {
		base = strings.TrimSuffix(base, ext)
	}
	return Slug(base)
}
