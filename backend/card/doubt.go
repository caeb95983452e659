package card

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// A program that nobody knows cannot be told from prose by its name. What tells
// is what stands around it: that it shall be run, or how it shall end. Such text
// is doubted rather than run.
var (
	calls    = words(`run runs running rerun execute executes executing invoke invokes invoking`)
	refusals = words(`not never without don't don’t doesn't doesn’t`)
	endings  = words(`pass passes succeed succeeds exit exits finish finishes complete completes`)
	adverbs  = words(`must should shall all both always also still`)
	showing  = words(`print prints output outputs show shows return returns say says write writes log logs`)

	chineseCall     = regexp.MustCompile(`([不别勿禁](?:要|得|能|可|必|用|再|止)*)?(?:运行|执行|跑|调用)(?:一下|一遍|一次|命令|脚本)*[\s:：]*`)
	chineseEnding   = regexp.MustCompile(`^(必须|必需|应|该|须|要|也|都|全部|均|能|会|可以|仍|一次)*(通过|成功|退出|跑通|返回 *0|[无不没]有?(报错|错误))`)
	chineseShowing  = regexp.MustCompile(`输出|打印|显示|返回|日志|结果`)
	imperative      = regexp.MustCompile(`^([Pp]lease )?([Rr]un|[Rr]erun|[Ee]xecute):? +`)
	betweenCommands = regexp.MustCompile(`^[\s,;、，；]*(and|then|and then|和|与|及|然后|再)?\s*$`)
)

// isCalled reports whether before ends with a verb that tells to run what follows.
func isCalled(before string) bool {
	for _, at := range chineseCall.FindAllStringSubmatchIndex(before, -1) {
		if at[1] == len(before) {
			return at[2] < 0
		}
	}
	fields := strings.Fields(strings.ToLower(strings.TrimRight(before, " :")))
	for len(fields) > 0 && adverbs[fields[len(fields)-1]] {
		fields = fields[:len(fields)-1]
	}
	n := len(fields)
	return n > 0 && calls[fields[n-1]] && (n == 1 || !refusals[fields[n-2]])
}

// endsWell reports whether after begins with how a command shall end.
func endsWell(after string) bool {
	after = strings.TrimLeft(after, ` '"”`)
	for word := range strings.FieldsSeq(strings.ToLower(after)) {
		if !adverbs[word] {
			return endings[strings.TrimRight(word, ".,;:")] || chineseEnding.MatchString(after)
		}
	}
	return false
}

// showsOutput reports whether text introduces a fence with what is printed.
func showsOutput(text string) bool {
	text = strings.TrimSpace(text)
	return (strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")) && (chineseShowing.MatchString(text) ||
		slices.ContainsFunc(strings.Fields(strings.ToLower(text)), func(w string) bool { return showing[strings.TrimRight(w, ":")] }))
}

var (
	pathWord  = regexp.MustCompile(`[\w./-]+`)
	arguments = regexp.MustCompile(`^(\s+\w*[-./=]\S*)*`)
	inFolder  = regexp.MustCompile(`^\s*(下|里|中|内|目录)`) // a folder is spoken of

	shellEndings   = words(`.sh .bash .zsh .ps1 .bat .cmd`)
	scriptEndings  = words(`.py .rb .pl`)
	programFolders = words(`bin script scripts tools`)
)

// isScript reports whether a path is that of a shell script or in a folder of
// programs; it is good for nothing but to be run.
func isScript(name string) bool {
	ext := path.Ext(name)
	return shellEndings[ext] && path.Base(name) != ext || ext == "" && programFolders[path.Base(path.Dir(name))]
}

// isCallable reports whether a path can be that of a program.
func isCallable(name string) bool {
	ext := path.Ext(name)
	return isScript(name) || scriptEndings[ext] && path.Base(name) != ext ||
		(strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../")) && strings.Trim(name, "./") != ""
}

// namesScript reports whether text speaks of a script that shall be run, or that
// shall end well.
func namesScript(text string) bool {
	for _, at := range pathWord.FindAllStringIndex(text, -1) {
		name := strings.TrimRight(text[at[0]:at[1]], ".")
		before, after := text[:at[0]], text[at[0]+len(name):]
		if strings.HasSuffix(name, "/") || inFolder.MatchString(after) {
			continue
		}
		if isCallable(name) && isCalled(before) || isScript(name) && endsWell(arguments.ReplaceAllString(after, "")) {
			return true
		}
	}
	return false
}

// namesProgram reports whether text tells to run what may be a command: in
// English only at its start, since things run in many a sentence.
func namesProgram(text string) bool {
	if at := imperative.FindStringIndex(text); at != nil {
		command := phrase(text[at[1]:])
		return isCommand(command) && isTyped(command) || programs[command] || isTyped(command) && hasFlag(command)
	}
	for _, at := range chineseCall.FindAllStringIndex(text, -1) {
		if command := phrase(text[at[1]:]); isCalled(text[:at[1]]) && (isTyped(command) || programs[command]) {
			return true
		}
	}
	return false
}

// phrase returns what text begins with, up to Chinese, a comma, or a word that
// says how it shall end.
func phrase(text string) string {
	if i := strings.IndexFunc(text, func(r rune) bool { return r > '~' || r == ',' || r == ';' }); i >= 0 {
		text = text[:i]
	}
	fields := strings.Fields(text)
	if i := slices.IndexFunc(fields, func(w string) bool { return outcomes[strings.TrimRight(w, ".:")] }); i >= 0 {
		fields = fields[:i]
	}
	return strings.TrimRight(strings.Join(fields, " "), ".: ")
}

var (
	programWord = regexp.MustCompile(`^[a-z][a-z0-9_.+-]*$|^[\w.@~-]*/[\w./@+-]*\w$`)
	operator    = regexp.MustCompile(`^[=!<>:+*?|&-]*[=!<>:+*?]$`)
	flag        = regexp.MustCompile(`\s--?[A-Za-z]`)

	// spoken are words that end a phrase of prose or begin a line of code, and are
	// no part of a command: "unit tests", "import os".
	spoken = words(`tests cases suites specs checks scenarios lines files import from package const let var func fn def class return type using public private select`)
)

func hasFlag(code string) bool { return flag.MatchString(code) }

// isTyped reports whether code has the form of a command with arguments, whatever
// its program: no sentence, no expression, no line of another language.
func isTyped(code string) bool {
	fields := strings.Fields(code)
	return len(fields) > 1 && programWord.MatchString(fields[0]) && !isExpression(code) && !strings.ContainsAny(code, "(){};") &&
		!slices.ContainsFunc(fields, func(w string) bool {
			return fillers[w] || spoken[w] || w[0] > '~' || strings.HasSuffix(w, ",") || strings.HasSuffix(w, ":")
		})
}

// isExpression reports whether code calls a function, or compares or assigns.
func isExpression(code string) bool {
	fields := strings.Fields(code)
	return strings.ContainsAny(fields[0], "(){}[]<>") || slices.ContainsFunc(fields, operator.MatchString)
}

// isTypedLine reports whether a line of a fence has the form of a command.
func isTypedLine(line string) bool {
	if pathWord.FindString(line) == line && !strings.HasSuffix(line, "/") {
		return isCallable(line)
	}
	return isTyped(line) && !strings.HasSuffix(line, ".")
}
