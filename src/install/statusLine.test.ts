// Our status line in a settings file: alone, below another one, after a move of the package, and gone again.
import { describe, expect, it } from "vitest";
import { planInstall, planUninstall } from "./plan.ts";

const file = "/u/.claude/settings.json";
const statusLine = { node: "/my node", cli: "/it's here/dist/cli.js" };
const wanted = { groups: new Map(), env: {}, statusLine };
const installed = (text: string, more: object = {}) => planInstall(text, file, { ...wanted, ...more }).after;
const lineIn = (text: string): unknown => JSON.parse(text).statusLine;
const ours = `'/my node' '/it'\\''s here/dist/cli.js' statusline`;

describe("the status line", () => {
  it("is added where there is none, once, and follows the package", () => {
    const text = installed("{}");
    expect(lineIn(text)).toEqual({ type: "command", command: ours });
    expect(installed(text)).toBe(text);
    const moved = installed(text, { statusLine: { node: "/n", cli: "/p/dist/cli.js" } });
    expect(lineIn(moved)).toEqual({ type: "command", command: "'/n' '/p/dist/cli.js' statusline" });
  });

  it("stands below one that was there, whose other fields stay", () => {
    const mine = { type: "command", command: "echo 'mine'", padding: 0 };
    const text = installed(JSON.stringify({ statusLine: mine }));
    expect(lineIn(text)).toEqual({ ...mine, command: `${ours} --beside 'echo '\\''mine'\\'''` });
    expect(installed(text)).toBe(text);
    const gone = planUninstall(text, file, { made: [], env: [], steps: [] }).after;
    expect(lineIn(gone)).toEqual(mine);
  });

  it("leaves with the rest, also from a file that was edited since and without a receipt", () => {
    const edited = installed('{"model":"opus"}').replace("opus", "sonnet");
    expect(JSON.parse(planUninstall(edited, file, { env: [], steps: [] }).after)).toEqual({
      model: "sonnet",
    });
  });

  it("is left alone where it is not asked for, and kept where it is ours", () => {
    const text = '{"statusLine":{"type":"command","command":"mine"}}';
    const { statusLine: _, ...without } = wanted;
    expect(planInstall(text, file, without).after).toBe(text);
  });
});
