package project

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"offrun/backend/git"
	"offrun/backend/work"
)

// agentFiles are files and folders at the top of a repository that agents take
// instructions, settings, hooks or servers from.
var agentFiles = []string{
	".offrun/conventions.md",
	"AGENTS.md", "AGENTS.override.md", ".agents",
	"CLAUDE.md", "CLAUDE.local.md", ".claude", ".mcp.json",
	".codex",
	"GEMINI.md", ".gemini", ".geminiignore",
	"opencode.json", "opencode.jsonc", ".opencode",
	"QWEN.md", ".qwen",
	".github/copilot-instructions.md", ".github/instructions", ".github/agents", ".github/hooks", ".copilot",
	".cursor", ".cursorrules", ".grok", ".amp", ".windsurfrules",
}

// maxAgentFile is the largest of them that is read, in bytes.
const maxAgentFile = 64 << 20

// Trust lists everything of the project that may start programs: commands and
// agents of its settings, and the files in commit that agents take
// configuration from (S06, S07). The hash stands for the whole list: a change in
// any of it gives another one. An empty commit has no files.
func Trust(ctx context.Context, repo git.Repo, s work.Settings, commit string) (hash string, list []work.Runnable, err error) {
	for _, group := range []struct {
		what     string
		commands []string
	}{{"acceptance", s.Acceptance}, {"setup", []string{s.Setup}}, {"teardown", []string{s.Teardown}}, {"gate", s.Gates}} {
		for _, command := range group.commands {
			if command != "" {
				list = append(list, work.Runnable{What: group.what, Text: command})
			}
		}
	}
	for _, a := range s.Agents {
		if text := runs(a); text != "" {
			list = append(list, work.Runnable{What: "agent " + string(a.ID), Text: text})
		}
	}
	if s.Permissions == "all" {
		list = append(list, work.Runnable{What: "permissions", Text: "agents may do everything that you may do"})
	}
	if commit != "" {
		files, err := configuration(ctx, repo, commit)
		if err != nil {
			return "", nil, fmt.Errorf("agent configuration of %s: %w", commit, err)
		}
		list = append(list, files...)
	}
	return hashOf(list), list, nil
}

// runs says what an agent's settings make run; "" if they only choose a model or
// a limit.
func runs(a work.AgentSettings) string {
	var parts []string
	if len(a.Cmd) > 0 {
		parts = append(parts, fmt.Sprintf("cmd %q", a.Cmd))
	}
	if a.Path != "" {
		parts = append(parts, fmt.Sprintf("path %q", a.Path))
	}
	if len(a.Resume) > 0 {
		parts = append(parts, fmt.Sprintf("resume %q", a.Resume))
	}
	// A variable can make a program load code: NODE_OPTIONS, LD_PRELOAD, a base URL.
	for _, name := range slices.Sorted(maps.Keys(a.Env)) {
		parts = append(parts, fmt.Sprintf("env %s=%q", name, a.Env[name]))
	}
	return strings.Join(parts, ", ")
}

// configuration returns the agent files of commit with their hashes; that of a
// folder stands for all that lies in it.
func configuration(ctx context.Context, repo git.Repo, commit string) (list []work.Runnable, err error) {
	blobs := repo.Blobs(ctx)
	defer func() { err = errors.Join(err, blobs.Close()) }()
	for _, name := range agentFiles {
		data, err := blobs.Read(commit+":"+name, maxAgentFile)
		switch {
		case work.CodeOf(err) == work.NotFound:
		case err != nil:
			return nil, err
		default:
			sum := sha256.Sum256(data)
			list = append(list, work.Runnable{What: "file " + name, Text: hex.EncodeToString(sum[:])})
		}
	}
	return list, nil
}

// hashOf hashes list so that no two lists look alike: lengths part the texts.
func hashOf(list []work.Runnable) string {
	h := sha256.New()
	for _, one := range list {
		// A hash never fails to write.
		_, _ = io.WriteString(h, fmt.Sprintf("%d:%s%d:%s", len(one.What), one.What, len(one.Text), one.Text))
	}
	return hex.EncodeToString(h.Sum(nil))
}
