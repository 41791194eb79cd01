// Holds the shape of the sources: which module may import which, how long things may grow, and what the bundles reach.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { build, type Metafile } from "esbuild";
import { describe, expect, it } from "vitest";
import { idleExports, readModules } from "./idleExports.ts";
import {
  dissect,
  forbiddenImports,
  idleArrows,
  importCycles,
  moduleOf,
  parseTable,
  readSources,
  type Source,
  withoutHeader,
} from "./sourceTree.ts";

const root = path.resolve(import.meta.dirname, "..");
const sources = readSources(path.join(root, "src"));
const files = sources.map(dissect);
const table = parseTable(readFileSync(path.join(root, "docs", "architecture.md"), "utf8"));

/** Those that may import every module above them. */
const entryPoints = ["worker", "mcp", "cli", "sdk"];
/** The worker's modules that read settings by themselves. */
const readSettings = ["settings", "tools", "mods", "live", "http"];

const MAX_FILE_LINES = 400;
const MAX_FUNCTION_LINES = 60;
const MAX_MODULE_LINES = 5_000;
const MAX_MODULE_FILES = 40;
const MAX_FOLDER_FILES = 18;

/** Parts of a module that are modules of their own in size: an engine behind the contract, the commands behind the shell. */
const families = ["agents", "data", "import", "memory", "replay"].map((name) => `cli/commands/${name}`);
const nestedModules = ["store/sqlite", "store/postgres", ...families, "cli/commands"];

/** Files that are long because they are data, each with its reason. */
const longFiles: Readonly<Record<string, string>> = {};

describe("the table of modules", () => {
  it("knows every folder of src, and each has an index", () => {
    const modules = [...new Set(sources.flatMap(({ file }) => moduleOf(file) ?? []))];
    expect([...table.keys()].sort()).toEqual(modules);
    const withoutIndex = modules.filter((module) => !existsSync(path.join(root, "src", module, "index.ts")));
    // These are programs: no module imports them.
    expect(withoutIndex).toEqual(["cli", "hooks", "plugins"]);
  });

  it("lets entry points and the worker's modules alone read the configuration", () => {
    const readers = [...table].filter(([, allowed]) => allowed.has("config")).map(([module]) => module);
    expect(readers.sort()).toEqual([...readSettings, ...entryPoints].sort());
  });

  it("is what the imports follow", () => {
    expect(forbiddenImports(files, table)).toEqual([]);
  });

  it("has no arrow without an import", () => {
    const narrow = new Map([...table].filter(([module]) => !entryPoints.includes(module)));
    expect(idleArrows(files, narrow)).toEqual([]);
  });
});

describe("the sources", () => {
  it("have no import cycle", () => {
    expect(importCycles(files)).toEqual([]);
  });

  it(`have no file above ${MAX_FILE_LINES} lines`, () => {
    const long = sources.filter(
      ({ file, text }) => !(file in longFiles) && text.split("\n").length - 1 > MAX_FILE_LINES,
    );
    expect(long.map(({ file }) => file)).toEqual([]);
  });

  it(`have no module above ${MAX_MODULE_LINES} lines or ${MAX_MODULE_FILES} files`, () => {
    const sizes = new Map<string, { files: number; lines: number }>();
    for (const { file, text } of sources) {
      const nested = nestedModules.find((name) => file.startsWith(`${name}/`));
      const name = nested ?? moduleOf(file) ?? "";
      const { files: count, lines } = sizes.get(name) ?? { files: 0, lines: 0 };
      sizes.set(name, { files: count + 1, lines: lines + text.split("\n").length - 1 });
    }
    const large = [...sizes].filter(
      ([, { files: count, lines }]) => lines > MAX_MODULE_LINES || count > MAX_MODULE_FILES,
    );
    expect(large).toEqual([]);
  });

  it(`have no folder above ${MAX_FOLDER_FILES} files`, () => {
    const counts = new Map<string, number>();
    for (const { file } of sources) {
      const folder = path.posix.dirname(file);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
    expect([...counts].filter(([, count]) => count > MAX_FOLDER_FILES)).toEqual([]);
  });

  it(`have no function above ${MAX_FUNCTION_LINES} lines`, () => {
    const long = files.flatMap(({ file, functions }) =>
      functions
        .filter(({ lines }) => lines > MAX_FUNCTION_LINES)
        .map(({ line, lines }) => `${file}:${line} has ${lines}`),
    );
    expect(long).toEqual([]);
  });

  it("name what they re-export and do something with what they catch", () => {
    const at = (kind: "reExportsAll" | "emptyCatches"): string[] =>
      files.flatMap((file) => file[kind].map((line) => `${file.file}:${line}`));
    expect(at("reExportsAll")).toEqual([]);
    expect(at("emptyCatches")).toEqual([]);
  });

  it("begin with a sentence that says what they are for", () => {
    expect(withoutHeader(sources)).toEqual([]);
  });

  it("export what others import and nothing else", () => {
    const fronts = [
      "src/index.ts",
      "src/pipeline/index.ts",
      "src/sdk/index.ts",
      "src/plugins/openCode.ts",
      "src/plugins/pi.ts",
    ];
    const modules = readModules(root, ["src", "test", "bench", "viewer/src"]);
    expect(idleExports(modules, fronts)).toEqual([]);
  });

  it("have no name that says nothing", () => {
    const vague = /(^|[/-])(utils?|helpers?|managers?|services?|common|misc)(\.ts|\/)/;
    expect(sources.filter(({ file }) => vague.test(file)).map(({ file }) => file)).toEqual([]);
  });
});

/** What a bundle of `entry` imports from outside at start, lazily loaded chunks left aside. */
async function reachedAtStart(entry: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outdir: "out",
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "silent",
  });
  const first =
    Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === entry)?.[0] ?? "";
  return [...externals(metafile, first, new Set())].sort();
}

function externals(metafile: Metafile, output: string, seen: Set<string>): Set<string> {
  if (seen.has(output)) return new Set();
  seen.add(output);
  const found = new Set<string>();
  for (const { path: target, kind, external } of metafile.outputs[output]?.imports ?? []) {
    if (kind === "dynamic-import" && !external) continue;
    if (external) found.add(target);
    else for (const name of externals(metafile, target, seen)) found.add(name);
  }
  return found;
}

describe("the bundles", () => {
  it("of ./pipeline reach files, hashes and serialisation and nothing else: no network, no process, no package", async () => {
    const allowed = ["node:crypto", "node:fs", "node:os", "node:path", "node:v8", "node:util", "node:zlib"];
    const reached = await reachedAtStart("src/pipeline/index.ts");
    expect(reached.filter((name) => !allowed.includes(name))).toEqual([]);
  });

  it("of the command line start without a package", async () => {
    const reached = await reachedAtStart("src/cli/main.ts");
    expect(reached.filter((name) => !name.startsWith("node:"))).toEqual([]);
  });
});

describe("the checks themselves", () => {
  const page = ["| module | lives | may import |", "|---|---|---|", "| `lib` | x | – |", "| `a` | x | – |"];
  const small = parseTable(
    [...page, "| `b` | x | `a`, `c/quick` |", "| `c` | x | every module above but `a` |"].join("\n"),
  );
  const anatomy = (...given: Source[]) => given.map(dissect);

  it("read the table", () => {
    expect(Object.fromEntries([...small].map(([module, allowed]) => [module, [...allowed]]))).toEqual({
      lib: [],
      a: [],
      b: ["a", "c/quick"],
      c: ["lib", "b"],
    });
  });

  it.each([
    ["a/x.ts", "../b/index.ts", "a/x.ts imports b, which is not among what a may import"],
    ["b/x.ts", "../a/inner.ts", "b/x.ts imports a/inner.ts past a/index.ts"],
    ["b/x.ts", "../c/index.ts", "b/x.ts imports c, which is not among what b may import"],
    ["d/x.ts", "../a/index.ts", "d/x.ts is in d, which the table does not know"],
    ["a/x.ts", "../index.ts", "a/x.ts imports a front of the package"],
    ["index.ts", "./a/inner.ts", "index.ts imports a/inner.ts past a/index.ts"],
  ])("see that %s must not import %s", (file, target, problem) => {
    for (const statement of [
      `import { x } from "${target}";`,
      `const x = () => import("${target}");`,
      `export type { X } from "${target}";`,
    ]) {
      expect(forbiddenImports(anatomy({ file, text: statement }), small)).toEqual([problem]);
    }
  });

  it.each([
    ["b/x.ts", "../a/index.ts"],
    ["b/x.ts", "../c/quick.ts"],
    ["b/x.ts", "../c/quick/index.ts"],
    ["a/x.ts", "../lib/index.ts"],
    ["a/x.ts", "./y.ts"],
    ["index.ts", "./a/index.ts"],
  ])("let %s import %s", (file, target) => {
    expect(forbiddenImports(anatomy({ file, text: `import "${target}";` }), small)).toEqual([]);
  });

  it("see an arrow without an import", () => {
    expect(idleArrows(anatomy({ file: "b/x.ts", text: 'import "../a/index.ts";' }), small)).toEqual([
      "b → c/quick",
      "c → lib",
      "c → b",
    ]);
  });

  it("see a cycle", () => {
    const cycle = anatomy(
      { file: "a/x.ts", text: 'import "./y.ts";' },
      { file: "a/y.ts", text: 'import "./x.ts";' },
    );
    expect(importCycles(cycle)).toEqual(["a/x.ts → a/y.ts → a/x.ts"]);
    const ofTypes = anatomy(
      { file: "a/x.ts", text: 'import type { Y } from "./y.ts";' },
      { file: "a/y.ts", text: 'import "./x.ts";' },
    );
    expect(importCycles(ofTypes)).toEqual([]);
  });

  it("see long functions, empty catches and nameless exports, at their lines", () => {
    const text =
      '#!/usr/bin/env node\nexport * from "./y.ts";\nclass A {\n  m() {\n    try {\n    } catch {\n      // no\n    }\n  }\n}\n';
    expect(dissect({ file: "a/x.ts", text })).toMatchObject({
      reExportsAll: [2],
      functions: [{ line: 4, lines: 6 }],
      emptyCatches: [6],
    });
  });

  it("see unused exports", () => {
    const modules = [
      { file: "src/a/index.ts", text: 'export { x, y, type Z } from "./x.ts";' },
      {
        file: "src/a/x.ts",
        text: "export const x = 1, y = 2, w = 3;\nexport interface Z {}\nexport const v = 4;",
      },
      { file: "src/a/x.test.ts", text: 'import { y } from "./index.ts";\nimport { w } from "./x.ts";' },
      { file: "src/b/index.ts", text: 'import { x } from "../a/index.ts";\nexport const front = x;' },
      { file: "test/t.ts", text: 'const { Z } = await import("../src/c/index.ts");' },
      { file: "src/c/index.ts", text: "export class Z {}" },
    ];
    expect(idleExports(modules, ["src/b/index.ts"])).toEqual([
      "src/a/index.ts: y",
      "src/a/index.ts: Z",
      "src/a/x.ts: v",
    ]);
  });

  it("see a missing sentence", () => {
    const texts = [
      "// Says it.\ncode();",
      "#!/usr/bin/env node\n// Says it\n// in two lines.\n",
      "code();",
      "// no end\ncode();",
      "",
    ];
    const given = texts.map((text, index) => ({ file: String(index), text }));
    expect(withoutHeader(given)).toEqual(["2", "3", "4"]);
  });
});
