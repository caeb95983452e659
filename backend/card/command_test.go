package card

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommands(t *testing.T) {
	for _, tt := range []struct {
		text     string
		want     []string
		doubtful int
	}{
		// Bare, at the start of an item, up to Chinese.
		{"1. npm test -- login 全部通过", []string{"npm test -- login"}, 0},
		{"- go test ./...，不得失败", []string{"go test ./..."}, 0},
		{"- sh test.sh通过", []string{"sh test.sh"}, 0},
		{"- ./check.sh 退出码为 0", []string{"./check.sh"}, 0},
		{"- CI=1 pytest -q tests/api 通过", []string{"CI=1 pytest -q tests/api"}, 0},
		{"- python3.11 -m pytest", []string{"python3.11 -m pytest"}, 0},
		{"- make 成功", []string{"make"}, 0},
		{"- 运行 npm test", nil, 1}, // not at the start
		{"- go test ./文档/...", nil, 1},

		// Bare, up to the word that says how it ends.
		{"- npm test -- login passes", []string{"npm test -- login"}, 0},
		{"- go vet ./... must be clean", []string{"go vet ./..."}, 0},
		{"- go test ./... exits with 0.", []string{"go test ./..."}, 0},
		{"- cargo test --all.", []string{"cargo test --all"}, 0},
		{"- gofmt -l .", []string{"gofmt -l ."}, 0},
		{`- pytest -k "a and not b" passes`, []string{`pytest -k "a and not b"`}, 0},
		{`- pytest -k "a`, nil, 1},
		{"npm test\nnpm run lint", []string{"npm test", "npm run lint"}, 0}, // no list
		{"- make sure the login works", nil, 1},
		{"- tests/slug.sh has at least one case more", nil, 1}, // of a script, not a command
		{"- scripts/check.sh --all src/ passes", []string{"scripts/check.sh --all src/"}, 0},
		{"- go through the list", nil, 1},
		{"- npm test and npm run lint pass", nil, 1},
		{"- The login works", nil, 0},
		{"- Make it fast", nil, 0},

		// Inline code.
		{"- `npm test -- login` passes", []string{"npm test -- login"}, 0},
		{"- Run `npm test`, then `npm run lint`.", []string{"npm test", "npm run lint"}, 0},
		{"Both `go test ./...` and ``go vet ./...`` pass", []string{"go test ./...", "go vet ./..."}, 0},
		{"- `$ npm test`", []string{"npm test"}, 0},
		{"- `make` passes", []string{"make"}, 0},
		{"- `make`", []string{"make"}, 0},
		{"- `scripts/check.sh`", []string{"scripts/check.sh"}, 0},
		{"- `.venv/bin/pytest -q`", []string{".venv/bin/pytest -q"}, 0},
		{"- `our-tool verify` passes", []string{"our-tool verify"}, 0},
		{"- `our-tool verify` 全部通过", []string{"our-tool verify"}, 0},
		{"- `our-tool verify`", nil, 1},
		{"- `login()` passes", nil, 0},
		{"- `login` returns 200", nil, 0},
		{"- `node` is not needed, nor `src/api/login.ts`", nil, 0},
		{"- `./src/api/login.ts` has no `any`", nil, 0},
		{"- `npm test", nil, 0}, // no closing backtick

		// Fences.
		{"```sh\nnpm test\n# lint\nnpm run lint\n```", []string{"npm test", "npm run lint"}, 0},
		{"```bash\ngo test \\\n  ./...\n```", []string{"go test    ./..."}, 0},
		{"```sh\ncd web\nnpm test\n```", []string{"set -e\ncd web\nnpm test"}, 0},
		{"```sh\nfor f in *; do\n  sh $f\ndone\n```", []string{"set -e\nfor f in *; do\n  sh $f\ndone"}, 0},
		{"```console\n$ npm test\nall 3 passed\n```", []string{"npm test"}, 0},
		{"```\nnpm test\n3 tests passed\n```", []string{"npm test"}, 0},
		{"```json\n{\"a\": 1}\n```", nil, 0},
		{"- all green:\n  ```sh\n  npm test\n  ```\n", []string{"npm test"}, 0},
		{"- ```\n  npm test\n  ```\n", []string{"npm test"}, 0},

		// A program that nobody knows, and that is run or ends well.
		{"1. ./scripts/check.sh passes", []string{"./scripts/check.sh"}, 0},
		{"- 运行 ./verify.sh 通过", nil, 1},
		{"- 执行脚本 scripts/verify.py，退出码为 0", nil, 1},
		{"- Run ./verify", nil, 1},
		{"- please run: ./verify.py --all", nil, 1},
		{"- Running tools/verify leaves no trace", nil, 1},
		{"- check.sh passes", nil, 1},
		{"- 脚本 ci/check.sh --all 必须通过", nil, 1},
		{"- All of scripts/verify --fast must pass", nil, 1},
		{"- Run npm test", nil, 1},
		{"- Run make.", nil, 1},
		{"- Run mytool --strict", nil, 1},
		{"- 运行 mytool check 通过", nil, 1},
		{"- $ mytool check", nil, 1},
		{"- `mytool check`", nil, 1},
		{"- Run `mytool check`.", nil, 1},
		{"- 运行 `mytool check` 通过", nil, 1},
		{"- `mytool check` 退出码为 0", nil, 1},
		{"- `mytool check` must exit with status 0", nil, 1},
		{"- `mytool --check src` prints nothing", nil, 1},
		{"- `npm test` and `mytool check` pass", []string{"npm test"}, 1},
		{"- Run `npm test`, then `mytool check`", []string{"npm test"}, 1},
		{"- `npm test` passes, and so does ./x; run ./verify.sh", []string{"npm test"}, 1},
		{"```\nmytool check\n```", nil, 1},
		{"```\n# all of it\n./verify.py\n```", nil, 1},
		{"```\nmytool check\nnpm test\n```", []string{"npm test"}, 1},
		{"```console\nnpm test\n```", nil, 1},

		// Prose that has programs, paths and code in it.
		{"- The login answers in 50 ms, src/api/login.ts is not longer", nil, 0},
		{"- Run the login fifty times", nil, 0},
		{"- Running unit tests is fast", nil, 0},
		{"- Run all checks", nil, 0},
		{"- The job runs node checks", nil, 0},
		{"- Do not run ./migrate.sh", nil, 0},
		{"- 不要运行 ./migrate.sh", nil, 0},
		{"- 不得执行 mytool drop", nil, 0},
		{"- 运行 src/api 下的测试", nil, 0},
		{"- 运行 unit tests 通过", nil, 0},
		{"- 执行 login 接口 50 次", nil, 0},
		{"- 并发运行时不出错", nil, 0},
		{"- Everything in ./src passes review", nil, 0},
		{"- 文件 scripts/check.sh 不变，测试通过", nil, 0},
		{"- Nothing in scripts/ changes", nil, 0},
		{"- Shows `not found` for unknown users", nil, 0},
		{"- `not found` is shown", nil, 0},
		{"- `src/api/login.ts` and `pool.acquire()` pass review", nil, 0},
		{"- Run `pool.acquire()` in `src/api/login.ts`", nil, 0},
		{"- 调用 `pool.acquire()` 成功", nil, 0},
		{"- Run `SELECT 1` on start", nil, 0},
		{"- The case `err != nil` passes", nil, 0},
		{"- `pool.size === 0`", nil, 0},
		{"- `acquire(ctx Context) error`", nil, 0},
		{"- The header is `Content-Type: application/json`", nil, 0},
		{"- It prints:\n\n  ```\n  hello world\n  ```\n", nil, 0},
		{"输出：\n```\nhello world\n```\n", nil, 0},
		{"```\nmytool\n```", nil, 0},
		{"```\nsrc/\n  api/\n```", nil, 0},
		{"```\nGET /api/login\n```", nil, 0},
		{"```\nname: login\n```", nil, 0},
		{"```\nThe login works.\n```", nil, 0},
		{"```js\nawait pool.acquire()\n```", nil, 0},

		// Once each, and never from a comment.
		{"- `npm test`\n- npm test passes", []string{"npm test"}, 0},
		{"<!-- `npm test` -->\n- <!-- `make` --> fine", nil, 0},
	} {
		d := read("## Acceptance\n\n" + tt.text + "\n")
		got, doubtful := commands(d.blocks(Acceptance))
		if !cmp.Equal(got, tt.want) || len(doubtful) != tt.doubtful {
			t.Errorf("%q: %q, %d doubtful; want %q, %d", tt.text, got, len(doubtful), tt.want, tt.doubtful)
		}
	}
}

// Commands come from the Acceptance section only.
func TestCommandsElsewhere(t *testing.T) {
	c := Parse("x.md", []byte("# `npm test`\n\n## Background\n\n`npm test`\n\n```sh\nmake\n```\n\n## Do not\n\n- `make clean`\n"))
	if c.Commands != nil {
		t.Errorf("commands %q", c.Commands)
	}
}
