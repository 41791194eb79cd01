// `throughline recall` as a user types it.
import { describe, expect, it } from "vitest";
import { commandLine } from "../../../test/commandLine.ts";
import { vaultFolder } from "../../home/index.ts";
import { type Origin, openVault } from "../../vault/index.ts";

const terminal = commandLine();
const put = (content: string | Uint8Array, origin: Partial<Origin> = {}): string =>
  openVault(vaultFolder(terminal.home)).put(content, { session: "5f1c-aaaa", ...origin }).handle;

describe("throughline recall", () => {
  it("gives the exact bytes back", () => {
    const text = "first\r\nzweite Zeile ü\n\nno newline at the end";
    expect(terminal.run(["recall", put(text)])).toEqual({ code: 0, out: text, err: "" });
  });

  it("gives some lines, or the lines that match", () => {
    const handle = put("one\ntwo\nthree\nfour\n");
    expect(terminal.run(["recall", handle, "--lines", "2-3"]).out).toBe("two\nthree\n");
    expect(terminal.run(["recall", handle, "--lines", "4"]).out).toBe("four\n");
    expect(terminal.run(["recall", handle, "--pattern", "^t"]).out).toMatch(/two[\s\S]*three/);
  });

  it("gives bytes that are no text to a program too", () => {
    const bytes = Uint8Array.from([0, 255, 254, 10, 7]);
    const handle = put(bytes);
    expect(terminal.json("recall", handle)).toMatchObject({
      handle,
      totalBytes: 5,
      base64: Buffer.from(bytes).toString("base64"),
    });
  });

  it("finds a result by the id of its call", () => {
    put("the result", { toolUseId: "toolu_1" });
    expect(terminal.run(["recall", "toolu_1", "--session", "5f1c"]).out).toBe("the result");
  });

  it("lists and searches everything that a session took out", () => {
    const handle = put("refresh the token\nother", { tool: "Read", toolUseId: "toolu_1", level: "budget" });
    put("another session's token", { session: "9e00" });
    const { out } = terminal.run(["recall", "--session", "5f1c"]);
    expect(out).toBe(`${handle}  23 B  budget  Read  toolu_1\n`);
    expect(terminal.run(["recall", "--session", "5f1c-aaaa", "--pattern", "refresh.*token"]).out).toBe(
      `${handle}:1: refresh the token\n`,
    );
    expect(terminal.run(["recall", "--session", "5f1c", "--pattern", "absent"]).out).toBe("no match\n");
  });

  it.each([
    [["recall"], 2, "recall needs a handle or --session"],
    [["recall", "--session", "5f"], 2, "2 sessions begin with 5f: "],
    [["recall", "--session", "5f1c", "--lines", "1-2"], 2, "--lines needs a handle"],
    [["recall", "toolu_1", "--lines", "two"], 2, "--lines must be A-B, not two"],
    [["recall", "toolu_1", "--lines", "1-2", "--pattern", "x"], 2, ""],
    [["recall", "toolu_1", "--pattern", "("], 2, "The pattern cannot be used: "],
    [["recall", "toolu_9"], 1, 'Nothing is stored under "toolu_9".'],
    [["recall", "--session", "77"], 1, "nothing was removed from a session 77"],
  ])("refuses %j with exit code %i and the reason", (args, code, reason) => {
    put("one\ntwo\n", { toolUseId: "toolu_1" });
    put("three", { session: "5f1d" });
    const outcome = terminal.run(args);
    expect(outcome).toMatchObject({ code, out: "" });
    expect(outcome.err).toMatch(/^throughline: [^\n]+\nfix: [^\n]+\n$/);
    expect(outcome.err).toContain(reason);
  });
});
