// `throughline transcript` as a user types it.
import { describe, expect, it } from "vitest";
import { commandLine } from "../../../test/commandLine.ts";
import { smallSession } from "../../../test/fixtures/transcript/session.ts";

const terminal = commandLine();
const jsonl = (rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

describe("throughline transcript", () => {
  it("tells what a session holds", () => {
    const file = terminal.write("session.jsonl", jsonl(smallSession().rows));
    const { code, out, err } = terminal.run(["transcript", file]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^title +make the login work \(prompt\)$/m);
    expect(out).toMatch(/^agent +claude-code 2\.1\.325$/m);
    expect(out).toMatch(/^turns +2$/m);
    expect(out).toMatch(/^tool results +2 \(0 calls unanswered, 0 results without a call\)$/m);
    expect(out).toMatch(/^boundaries +1 compaction, 0 microcompactions$/m);
    expect(out).toMatch(/^problems +none$/m);
  });

  it("gives the same to a program", () => {
    const text = jsonl(smallSession().rows);
    const file = terminal.write("session.jsonl", text);
    expect(terminal.json("transcript", file)).toMatchObject({
      file,
      dialect: "claude-code",
      session_id: "session-1",
      title: "make the login work",
      models: ["claude-opus-4-5"],
      turns: 2,
      tool_results: 2,
      tool_pairs: { matched: 2, unanswered: 0, orphan: 0 },
      thinking_blocks: 1,
      compact_boundaries: 1,
      microcompact_boundaries: 0,
      problems: [],
      resume_offset: Buffer.byteLength(text),
    });
  });

  it("reads around damage and shows the first of it", () => {
    const file = terminal.write("s.jsonl", jsonl(smallSession().rows) + "not json\n".repeat(15));
    const { code, out } = terminal.run(["transcript", file]);
    expect(code).toBe(0);
    expect(out).toMatch(/^turns +2$/m);
    expect(out.match(/is not JSON/g)).toHaveLength(10);
    expect(out).toContain("  and 5 more; --json has them\n");
  });

  it("says of another file that it is none", () => {
    const { code, out, err } = terminal.run(["transcript", terminal.write("notes.txt", "root:x:0:0\n")]);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/notes\.txt is not a transcript[\s\S]*~\/\.claude\/projects/);
  });

  it("writes nothing", () => {
    terminal.run(["transcript", terminal.write("s.jsonl", jsonl(smallSession().rows))]);
    expect(terminal.hasWritten()).toBe(false);
  });
});
