// Tables of a TOML file: added, replaced and removed without touching a byte around them.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planTableRemoval, planTables, tomlString, tomlTable } from "./tomlFile.ts";

const own = { path: ["mcp_servers", "throughline"], lines: ['command = "node"', 'args = ["a", "mcp"]'] };
const trust = {
  path: ["hooks", "state", "/home/me/.codex/hooks.json:stop:0:0"],
  lines: ['trusted_hash = "x"'],
};

/** Pieces of files that users have; none of them is a table of ours. */
const piece = fc.constantFrom(
  "# a comment [mcp_servers.throughline]\n",
  "\n",
  'model = "o9" # [not.a.header]\n',
  "[profiles.work]\nmodel = 'x'\n",
  '[projects."/home/me/a b"]\ntrust_level = "trusted"\n',
  '[notes]\ntext = """\n[mcp_servers.throughline]\nnot = "a table"\n"""\n',
  "[lists]\nmany = [\n  [1, 2],\n  [3],\n]\n",
  "[[points]]\nx = 1\n",
  "[points.inner]\r\nx = 1\r\n",
);

/** Tables that the agent adds behind ours; a key without a header would be one of ours. */
const table = fc.constantFrom(
  "\n[profiles.home]\nmodel = 'x'\n",
  "[[points]]\nx = 1\n",
  "# note\n[a.b]\nc = [\n[1],\n]\n",
);

describe("a TOML file", () => {
  it("is restored byte for byte, whatever else it holds", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), fc.array(table, { maxLength: 3 }), (before, later) => {
        const text = before.join("");
        const plan = planTables(text, "config.toml", [own, trust]);
        expect(plan.after.startsWith(text)).toBe(true);
        expect(tomlTable(plan.after, own.path)).toMatch(/^command = "node"\r?\nargs/);
        const added = later.join("");
        expect(planTableRemoval(plan.after + added, plan.changes).after).toBe(
          text === "" || text.endsWith("\n") ? text + added : `${text}\n${added}`,
        );
      }),
    );
  });

  it("gets a table once", () => {
    const once = planTables("a = 1\n", "config.toml", [own]).after;
    expect(planTables(once, "config.toml", [own]).changes).toEqual([]);
    expect(once).toBe('a = 1\n\n[mcp_servers.throughline]\ncommand = "node"\nargs = ["a", "mcp"]\n');
  });

  it("has its own value back when ours is removed", () => {
    const before = '[mcp_servers.throughline]\ncommand = "old"\n\n[x]\ny = 1\n';
    const plan = planTables(before, "config.toml", [own]);
    expect(plan.after).toContain('command = "node"');
    expect(planTableRemoval(plan.after, plan.changes).after).toBe(before);
  });

  it("is refused when the name is a value already", () => {
    expect(() => planTables("mcp_servers.a.command = 'x'\n", "config.toml", [own])).toThrow(
      "cannot be added",
    );
  });

  it("reads the keys that it writes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (name) => {
        const table = { path: ["hooks", "state", name], lines: [`a = ${tomlString(name)}`] };
        const { after } = planTables("", "config.toml", [table]);
        expect(tomlTable(after, table.path)).toBe(`a = ${tomlString(name)}\n`);
      }),
    );
  });
});
