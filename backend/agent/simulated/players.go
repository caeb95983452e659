package simulated

import "offrun/backend/work"

// A player is how one simulated agent goes about the task.
type player struct {
	name    string
	opening string
	plan    string
	slug    string            // new text of src/slug.sh
	cases   string            // added to tests/slug.sh
	tests   bool              // runs the tests before it says that it is done
	tabs    bool              // reformats src/ with tabs
	other   map[string]string // files out of scope → text to append
	notes   string
	closing string
	usage   work.Usage
}

var players = map[work.AgentID]player{
	Careful: {
		name:    "Careful",
		opening: "I look at src/slug.sh and at its tests first.",
		plan:    "Letters, signs and runs of spaces need one pipeline; nothing else has to change.",
		slug: `# slug TITLE prints TITLE as the last part of a link: small letters, digits and
# single dashes.
slug() {
    printf '%s\n' "$1" |
        tr '[:upper:]' '[:lower:]' |
        tr -cs 'a-z0-9\n' '-' |
        sed 's/^-//; s/-$//'
}
`,
		cases: `expect "slug: dashes of its own" "$(slug 'well - known')" well-known
`,
		tests: true,
		notes: `# Notes

## What I did
` + "`slug`" + ` makes letters small, turns each run of other characters into one dash and cuts the dashes at both ends.

## Why
One pipeline does all four cases, and src/slug.sh keeps its style.

## Uncertain
- Letters outside of ASCII, such as é, become a dash. Should they become e?
- A title of signs only gives an empty slug; no caller was found that relies on either.
`,
		closing: "Slugs have small letters, digits and single dashes now; all tests pass. Two questions are in NOTES.md.",
		usage:   work.Usage{Input: 18_412, Output: 1_206, CostUSD: 0.0733},
	},
	Sprawl: {
		name:    "Sprawling",
		opening: "I mend slug, and tidy the repository while I am here.",
		plan:    "One sed for the slug, then one style for all sources.",
		slug: `# slug TITLE prints TITLE as the last part of a link.
slug() {
	printf '%s\n' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9][^a-z0-9]*/-/g; s/^-//; s/-$//'
}
`,
		cases: `expect "slug: digits" "$(slug 'Version 2')" version-2
`,
		tests: true,
		tabs:  true,
		other: map[string]string{
			"release.conf": "style=tabs\n",
			"README.md":    "\nAll sources are indented with tabs.\n",
		},
		notes: `# Notes

## What I did
- mended ` + "`slug`" + `
- indented all sources with tabs, for one style everywhere
- wrote the style into release.conf and README.md

## Uncertain
- I did not ask whether tabs are wanted.
`,
		closing: "slug is mended, all tests pass, and the whole repository has one style now.",
		usage:   work.Usage{Input: 52_880, Output: 6_914, CostUSD: 0.2624},
	},
	Broken: {
		name:    "Hasty",
		opening: "This is only a matter of tr.",
		plan:    "Small letters, and spaces become dashes.",
		slug: `# slug TITLE prints TITLE as the last part of a link.
slug() {
    printf '%s\n' "$1" | tr 'A-Z ' 'a-z-'
}
`,
		notes: `# Notes

## What I did
` + "`slug`" + ` makes letters small and turns spaces into dashes.

## Uncertain
- I did not run the tests.
- Signs are kept.
`,
		closing: "slug makes small letters and dashes now.",
		usage:   work.Usage{Input: 9_038, Output: 640, CostUSD: 0.0291},
	},
}
