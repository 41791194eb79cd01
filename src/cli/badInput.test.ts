// What a user may get wrong: one clear line with the fix, an exit code that is not zero, and nothing written.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { commandLine } from "../../test/commandLine.ts";
import { ClaudeRows } from "../../test/fixtures/transcript/session.ts";

const terminal = commandLine();

interface Mistake {
  readonly mistake: string;
  readonly args: readonly string[];
  readonly error: { readonly code: string; readonly message: RegExp };
}

const mistakes: readonly Mistake[] = [
  ...["transcript", "replay"].flatMap((command): Mistake[] => [
    {
      mistake: "a missing file",
      args: [command, "missing.jsonl"],
      error: { code: "not-found", message: /^missing\.jsonl does not exist\.$/ },
    },
    {
      mistake: "a file where a folder should be",
      args: [command, "session.jsonl/inner.jsonl"],
      error: { code: "not-found", message: /inner\.jsonl does not exist\.$/ },
    },
    {
      mistake: "a binary file",
      args: [command, "binary.jsonl"],
      error: { code: "not-text", message: /^binary\.jsonl holds binary data/ },
    },
  ]),
  {
    mistake: "a folder instead of a file",
    args: ["transcript", "empty"],
    error: { code: "not-a-file", message: /^empty is not a file\.$/ },
  },
  {
    mistake: "a folder without transcripts",
    args: ["replay", "empty"],
    error: { code: "not-found", message: /^no \.jsonl file in empty$/ },
  },
  {
    mistake: "an unknown handle",
    args: ["recall", "tl:0123456789ab"],
    error: { code: "not-found", message: /^Nothing is stored under "tl:0123456789ab"\.$/ },
  },
  {
    mistake: "an unknown session",
    args: ["ledger", "5f1c"],
    error: { code: "not-found", message: /^no session 5f1c in .*no sessions have data here yet/ },
  },
  {
    mistake: "a session that nothing was taken out of",
    args: ["recall", "--session", "5f1c"],
    error: { code: "not-found", message: /^nothing was removed from a session 5f1c$/ },
  },
  {
    mistake: "a wrong model name",
    args: ["replay", "session.jsonl", "--model", "claude-opsu-5"],
    error: { code: "unknown-model", message: /^The model "claude-opsu-5" is not in the model table\.$/ },
  },
];

function prepare(): void {
  const rows = new ClaudeRows();
  rows.user("go");
  rows.say("m1", "done");
  terminal.write("session.jsonl", rows.rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  terminal.write(
    "binary.jsonl",
    Uint8Array.from({ length: 5_000 }, (_, at) => at % 256),
  );
  terminal.write("empty/notes.txt", "nothing to see");
}

describe.each(mistakes)("$args: $mistake", ({ args, error }) => {
  it("gives one clear line and its fix, and writes nothing", () => {
    prepare();
    const { code, out, err } = terminal.run(args);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    const [, message, fix] = /^throughline: ([^\n]+)\nfix: ([^\n]+)\n$/.exec(err) ?? [];
    expect(message).toMatch(error.message);
    expect(fix?.length).toBeGreaterThan(5);
    expect(terminal.hasWritten()).toBe(false);
  });

  it("gives one JSON document to a program, and writes nothing", () => {
    prepare();
    const { code, out, err } = terminal.run([...args, "--json"]);
    expect({ code, err }).toEqual({ code: 1, err: "" });
    expect(JSON.parse(out)).toEqual({
      error: { code: error.code, message: expect.stringMatching(error.message), fix: expect.any(String) },
    });
    expect(terminal.hasWritten()).toBe(false);
  });
});

describe("a broken configuration", () => {
  const files = (): string[] => readdirSync(terminal.folder, { recursive: true, encoding: "utf8" }).sort();

  it.each([
    ['{ "policy": seed }', /config\.jsonc:1: not valid JSON with comments/],
    ['{\n  "polcy": "seed"\n}', /config\.jsonc:2: unknown setting polcy; did you mean policy\?$/],
    ['{ "replay": { "ttl": "2h" } }', /config\.jsonc:1: replay\.ttl must be 5m \| 1h, not "2h"$/],
  ])("%j stops a command that needs it, and nothing is written", (text, expected) => {
    prepare();
    const file = terminal.write(path.join("home", "config", "config.jsonc"), text);
    const before = files();
    const { code, out, err } = terminal.run(["replay", "session.jsonl"]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(/^throughline: ([^\n]+)\nfix: [^\n]+\n$/.exec(err)?.[1]).toMatch(expected);
    const document = JSON.parse(terminal.run(["replay", "session.jsonl", "--json"]).out);
    expect(document).toEqual({
      error: {
        code: "config-invalid",
        message: expect.stringMatching(expected),
        fix: expect.any(String),
      },
    });
    expect(files()).toEqual(before);
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("in a variable is named by the variable", () => {
    prepare();
    const { code, err } = terminal.run(["replay", "session.jsonl"], { THROUGHLINE_REPLAY_TTL: "2h" });
    expect(code).toBe(1);
    expect(err).toContain('throughline: THROUGHLINE_REPLAY_TTL: replay.ttl must be 5m | 1h, not "2h"\n');
    expect(terminal.hasWritten()).toBe(false);
  });
});
