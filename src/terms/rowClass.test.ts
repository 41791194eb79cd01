// What kind of row a text is, and words of the trade in the other language.
import { expect, it } from "vitest";
import { chineseFor, englishFor } from "./glossary.ts";
import { rowClassOf } from "./rowClass.ts";

it.each([
  ["user", "please name the branch after the issue", "user"],
  ["user", `here is the log\n${"line of a log\n".repeat(100)}`, "pasted"],
  ["user", "<task-notification>done</task-notification>", "pasted"],
  ["assistant", "The lock is taken before the file is read, so both wait.", "prose"],
  ["assistant", "Let me look at the parser:", "brief"],
  ["assistant", "Bash command=go test ./... description=Run the tests", "shell"],
  ["assistant", "Edit file_path=/a/b.go old_string=x new_string=y", "other"],
  ["tool", 'Bash {"command":"go test ./..."}\nok', "shell"],
  ["tool", 'Bash {"command":"go test ./..."}\n--- FAIL: TestPath', "failed-shell"],
  ["tool", "Exit code 1\nfatal: not a git repository", "failure"],
  ["tool", "b.go:12:3: undefined: parse", "failure"],
  ["tool", "b.go:12:func errorOf(err error) string {", "other"],
  ["tool", "     1→package errors", "other"],
  ["tool", "The file /a/b.go has been updated. It returns an error now.", "other"],
  ["", "Observed: the build fails on Windows", "prose"],
  ["Maria", "I saw an error in the recipe", "prose"],
])("takes what %s wrote (%s) for %s", (speaker, text, expected) => {
  expect(rowClassOf(speaker, text)).toBe(expected);
});

it("translates the longest word at each place, and back", () => {
  expect(englishFor("单元测试失败了").map(({ word }) => word)).toEqual(["单元测试", "失败"]);
  expect(englishFor("会话")[0]?.terms).toEqual(["session"]);
  expect(englishFor("天空是蓝色的").flatMap(({ terms }) => terms)).toEqual(["dai", "empti", "null"]);
  expect(chineseFor("session")).toEqual(["会话"]);
  expect(chineseFor("heron")).toEqual([]);
});
