// The plan for a settings file, over any such file: what it adds, what it leaves alone, and the way back.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anySettings } from "../../test/arbitrary/claudeSettings.ts";
import { removeFromText, setInText } from "../jsonc/index.ts";
import { sha256 } from "../lib/index.ts";
import { hookGroups, hookTable, installedProgram, ownCommands } from "./hookTable.ts";
import { type Plan, planInstall, planUninstall, type Wanted } from "./plan.ts";
import { settingsValue } from "./settingsFile.ts";

const wanted = (folder: string, env: Wanted["env"] = {}): Wanted => ({
  groups: hookGroups(installedProgram("/opt/node/bin/node", folder)),
  env,
});
const here = wanted("/opt/throughline");
const file = "settings.json";
const value = (text: string): Record<string, unknown> => settingsValue(text, file);
const install = (text: string, what = here): Plan => planInstall(text, file, what);

/** What a receipt would know of these plans. */
function uninstall(text: string, ...plans: Plan[]): string {
  return planUninstall(text, file, {
    made: plans.flatMap(({ made }) => made),
    env: plans.flatMap(({ changes }) => changes.filter(({ pointer }) => pointer.startsWith("/env"))),
    steps: plans.map((plan) => ({
      before: sha256(plan.before),
      after: sha256(plan.after),
      splices: [...plan.splices],
    })),
  }).after;
}

it("has tools answered, and waits for it, where that is wanted", () => {
  const program = { ...installedProgram("/opt/node/bin/node", "/opt/throughline"), answersTools: true };
  const answering = install(install("").after, { groups: hookGroups(program), env: {} });
  expect(answering.changes.map(({ pointer }) => pointer)).toEqual(["/hooks/PostToolUse/0/hooks/0"]);
  expect(answering.changes[0]?.after).toEqual({
    type: "command",
    command: "/opt/node/bin/node",
    args: ["/opt/throughline/dist/hooks/answer.cjs"],
    timeout: 10,
  });
  expect(value(install(answering.after).after)).toEqual(value(install("").after));
});

describe("the folder of the mod", () => {
  const withMod: Wanted = { ...here, modFolder: "/opt/throughline/plugin/mods" };
  const foldersIn = (text: string): unknown =>
    (value(text).env as Record<string, unknown> | undefined)?.CLAUDE_CODE_PLUGIN_DIRS;

  it("is listed once beside those of others, also when the package has moved", () => {
    const before = '{"env": {"CLAUDE_CODE_PLUGIN_DIRS": "/mine:/old/place/plugin/mods"}}';
    const once = install(before, withMod);
    expect(foldersIn(once.after)).toBe("/mine:/opt/throughline/plugin/mods");
    expect(install(once.after, withMod).changes).toEqual([]);
  });

  it("goes with the lane, and leaves the others", () => {
    const both = '{"env": {"CLAUDE_CODE_PLUGIN_DIRS": "/mine:/opt/throughline/plugin/mods"}}';
    expect(foldersIn(install(both).after)).toBe("/mine");
    expect(value(install('{"env": {"CLAUDE_CODE_PLUGIN_DIRS": "/x/plugin/mods"}}').after).env).toEqual({});
  });

  it("is undone to the byte, or out of what others have written since", () => {
    const before = '{"model": "x"}';
    const plan = install(before, withMod);
    expect(uninstall(plan.after, plan)).toBe(before);
    const since = setInText(
      plan.after,
      ["env", "CLAUDE_CODE_PLUGIN_DIRS"],
      "/opt/throughline/plugin/mods:/new",
    );
    expect(foldersIn(uninstall(since, plan))).toBe("/new");
  });
});

describe("installing", () => {
  it("starts a file as a person would write it", () => {
    const { after, made } = install("", { groups: new Map([...here.groups].slice(0, 1)), env: {} });
    expect(after).toBe(`{
  "hooks": {
    "SessionStart": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/opt/node/bin/node",
            "args": [
              "/opt/throughline/dist/hooks/answer.cjs"
            ],
            "timeout": 5
          }
        ]
      }
    ]
  }
}
`);
    expect(made).toEqual(["", "/hooks", "/hooks/SessionStart"]);
  });

  it("names every change by its place", () => {
    const { changes } = install(
      '{"hooks": {"Stop": [{"hooks": []}]}}',
      wanted("/p", { THROUGHLINE_HOME: "/h" }),
    );
    expect(changes).toHaveLength(hookTable.length + 1);
    expect(changes).toContainEqual({
      pointer: "/hooks/Stop/1",
      after: expect.anything(),
    });
    expect(changes.at(-1)).toEqual({ pointer: "/env/THROUGHLINE_HOME", after: "/h" });
  });

  it("puts new paths into the entries that are there, whatever the user set beside them", () => {
    const first = install("{}").after;
    const edited = setInText(first, ["hooks", "PostToolUse", 0, "matcher"], "Bash");
    const { after, changes } = install(edited, wanted("/elsewhere"));
    expect(after).not.toContain("/opt/throughline");
    expect(changes).toHaveLength(hookTable.length);
    expect(changes.every(({ before }) => before !== undefined)).toBe(true);
    expect(after).toContain('"matcher": "Bash"');
    expect(install(after, wanted("/elsewhere")).changes).toEqual([]);
  });

  it("takes away an entry that is there twice", () => {
    const [group] = [...here.groups.values()];
    const twice = setInText(install("{}").after, ["hooks", "SessionStart", 1], group);
    expect(ownCommands(value(install(twice).after))).toHaveLength(hookTable.length);
  });

  it.each([
    ['{\n  "a": 1,\n  "b" 2\n}', "settings.json:3: not valid JSON (colon expected)"],
    ["[]", "settings.json:1: the settings must be an object"],
    ['{"hooks": []}', "settings.json:1: hooks must be an object"],
    ['{\n"hooks": {"Stop": {}}}', "settings.json:2: hooks.Stop must be a list"],
    ['{"hooks": {},\n"hooks": {}}', "settings.json:2: hooks is set twice"],
    ['{"env": 1}', "settings.json:1: env must be an object"],
  ])("refuses %j", (text, message) => {
    expect(() => install(text)).toThrow(expect.objectContaining({ code: "settings-invalid", message }));
  });
});

describe("any settings file", () => {
  it("has each of our entries once, and everything else as it was", () => {
    fc.assert(
      fc.property(anySettings, ({ text, value: before }) => {
        const { after } = install(text);
        const events = ownCommands(value(after)).map(({ event }) => event);
        expect(events.sort()).toEqual(hookTable.map(({ event }) => event).sort());
        expect(install(after).changes).toEqual([]);
        const { hooks: _hooks, ...rest } = value(after);
        const { hooks: _before, ...others } = before;
        expect(rest).toEqual(others);
        if (text.includes("\r\n")) expect(after.replaceAll("\r\n", "")).not.toContain("\n");
      }),
      { numRuns: 80 },
    );
  });

  it("is the same bytes again after uninstalling, with one update in between too", () => {
    fc.assert(
      fc.property(anySettings, fc.boolean(), ({ text }, update) => {
        const first = install(text, wanted("/opt/throughline", { THROUGHLINE_HOME: "/h" }));
        if (!update) {
          expect(uninstall(first.after, first)).toBe(text);
          return;
        }
        const second = install(first.after, wanted("/new/place", { THROUGHLINE_HOME: "/i" }));
        expect(uninstall(second.after, first, second)).toBe(text);
      }),
      { numRuns: 220 },
    );
  });

  /** What a user might do to the file in the meantime. */
  const userEdit = fc.constantFrom<(text: string) => string>(
    (text) => setInText(text, ["model"], "another"),
    (text) => setInText(text, ["hooks", "Stop", 1], { hooks: [{ type: "command", command: "mine" }] }),
    (text) => setInText(text, ["hooks", "Elicitation", 0], { hooks: [{ type: "command", command: "mine" }] }),
    (text) => setInText(text, ["permissions", "allow"], ["Bash(ls:*)"]),
    (text) => removeFromText(text, ["env"]),
  );

  it("keeps what its user changed between installing and uninstalling", () => {
    fc.assert(
      fc.property(anySettings, userEdit, ({ text }, edit) => {
        const plan = install(text);
        const edited = edit(plan.after);
        const left = value(uninstall(edited, plan));
        expect(ownCommands(left)).toEqual([]);
        const hooks = (all: Record<string, unknown>): Record<string, unknown[]> =>
          (all.hooks ?? {}) as Record<string, unknown[]>;
        const { hooks: _left, ...leftRest } = left;
        const { hooks: _edited, ...editedRest } = value(edited);
        expect(leftRest).toEqual(editedRest);
        const own = JSON.stringify([...here.groups.values()]);
        for (const [event, groups] of Object.entries(hooks(value(edited)))) {
          const others = groups.filter((group) => !own.includes(JSON.stringify(group)));
          expect(hooks(left)[event] ?? []).toEqual(others);
        }
        // A list that was there and empty stays; one that we made goes.
        for (const event of Object.keys(hooks(value(text)))) expect(hooks(left)).toHaveProperty(event);
      }),
      { numRuns: 120 },
    );
  });

  it("gets its layout back to the byte around an edit made elsewhere", () => {
    const text = '{\n  "model": "a",\n  "hooks": {\n    "Stop": []\n  }\n}\n';
    const plan = install(text);
    expect(uninstall(plan.after.replace('"a"', '"b"'), plan)).toBe(text.replace('"a"', '"b"'));
  });

  it("loses our entries and keeps the rest when another program has written it anew", () => {
    fc.assert(
      fc.property(anySettings, ({ text }) => {
        const plan = install(text);
        const rewritten = JSON.stringify(value(plan.after), null, 2);
        expect(value(uninstall(rewritten, plan))).toEqual(value(text));
      }),
      { numRuns: 80 },
    );
  });
});

describe("uninstalling", () => {
  it("takes an entry out of a group that the user has added to", () => {
    const plan = install("{}");
    const mine = { type: "command", command: "mine" };
    const edited = setInText(plan.after, ["hooks", "Stop", 0, "hooks", 1], mine);
    expect(value(uninstall(edited, plan))).toEqual({ hooks: { Stop: [{ hooks: [mine] }] } });
  });

  it("finds entries without a receipt", () => {
    const text = '{\n  "model": "x",\n  "hooks": {\n    "Stop": []\n  }\n}\n';
    const { after } = install(text);
    expect(planUninstall(after, file, { env: [], steps: [] }).after).toBe('{\n  "model": "x"\n}\n');
  });

  it("leaves a variable that has another value by now", () => {
    const plan = install("{}", wanted("/p", { THROUGHLINE_HOME: "/h" }));
    const edited = setInText(plan.after, ["env", "THROUGHLINE_HOME"], "/mine");
    expect(value(uninstall(edited, plan))).toEqual({ env: { THROUGHLINE_HOME: "/mine" } });
  });

  it("passes over a step that was written down and never made", () => {
    const first = install("{}\n");
    const second = install(first.after, wanted("/new"));
    expect(uninstall(first.after, first, second)).toBe("{}\n");
    expect(uninstall("{}\n", first)).toBe("{}\n");
  });
});
