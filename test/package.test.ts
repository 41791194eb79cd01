// The package as it is published: its entry points, the types that they mention, and the files in the tarball.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "./fixtures/transcript/session.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const { exports } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
const entryPoints: Record<string, { types: string; default: string }> = Object.fromEntries(
  Object.entries<{ types: string; default: string }>(exports).filter(([name]) => name !== "./package.json"),
);

const folder = temporaryFolder();

describe("the entry points", () => {
  it("are these", () => {
    expect(Object.keys(entryPoints)).toEqual([
      ".",
      "./pipeline",
      "./memory",
      "./vault",
      "./transcript",
      "./sdk",
    ]);
  });

  it.each(Object.entries(entryPoints))(
    "%s exports every type that its signatures mention",
    async (_, entry) => {
      expect(existsSync(path.join(root, entry.default))).toBe(true);
      const { unexportedTypes } = await import(path.join(root, "scripts/publicTypes.mjs"));
      expect(unexportedTypes(path.join(root, entry.types))).toEqual([]);
    },
  );
});

/** The built files that an import of an entry point loads. */
function loadedBy(entry: string): string[] {
  const loaded = new Set([path.join(root, entry)]);
  for (const file of loaded)
    for (const [, from = ""] of readFileSync(file, "utf8").matchAll(/^(?:import|\} from) "?(\.[^"]*)"/gm))
      loaded.add(path.join(path.dirname(file), from));
  return [...loaded];
}

describe("an import", () => {
  it("of the pipeline reads three files", () => {
    expect(loadedBy("dist/pipeline.js")).toHaveLength(3);
  });

  it.each(Object.entries(entryPoints))("of %s loads no package", (_, entry) => {
    const inside = loadedBy(entry.default).flatMap(
      (file) => readFileSync(file, "utf8").match(/^\/\/ node_modules\/.*/gm) ?? [],
    );
    expect(inside).toEqual([]);
  });

  it("loads a package at the first call that needs it", () => {
    const program = `import { appendLog, readMemory } from "./dist/memory.js";
      const { name } = readMemory("---\\nname: ports\\ndescription: d\\ntype: project\\n---\\nb");
      const place = { folder: ${JSON.stringify(folder.path)}, books: ${JSON.stringify(folder.path)}, isClaudes: false };
      const text = "deployed with ntn_12345678901" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA";
      console.log(name, appendLog(place, { text, author: "user" }).hidden.join());`;
    const printed = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
      cwd: root,
      encoding: "utf8",
    });
    expect(printed).toBe("ports notion-token\n");
  });
});

describe("the declarations", () => {
  it("mention no package, since none is installed with this one", () => {
    const foreign = declarationsIn(path.join(root, "dist/types")).flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/(?:from |import\()"([^".][^"]*)"/g)]
        .map(([, from = ""]) => from)
        .filter((from) => !from.startsWith("node:"))
        .map((from) => `${path.relative(root, file)}: ${from}`),
    );
    expect(foreign).toEqual([]);
  });
});

const declarationsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".d.ts"))
    .map((name) => path.join(folder, name));

describe("the tarball", () => {
  let files: string[] = [];
  beforeAll(() => {
    const packed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: root,
      encoding: "utf8",
      shell: process.platform === "win32",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [{ files: listed }] = Object.values<{ files: { path: string }[] }>(JSON.parse(packed)) as [
      { files: { path: string }[] },
    ];
    files = listed.map((file) => file.path);
  });

  it("has every file that an entry point names", () => {
    for (const { types, default: program } of Object.values(entryPoints))
      expect(files).toEqual(expect.arrayContaining([types.slice(2), program.slice(2)]));
  });

  it("has no test, soak or contract suite", () => {
    expect(files.filter((file) => /\.(test|soak)\.|\/contract(\/|\.)/.test(file))).toEqual([]);
  });

  it("has no declaration that no entry point reaches", () => {
    const declarations = files.filter((file) => file.endsWith(".d.ts"));
    const reached = new Set(Object.values(entryPoints).map(({ types }) => types.slice(2)));
    for (const file of reached)
      for (const [, from = ""] of readFileSync(path.join(root, file), "utf8").matchAll(
        /(?:from |import\()"(\.[^"]+)"/g,
      ))
        reached.add(path.posix.join(path.posix.dirname(file), from.replace(/\.[jt]s$/, ".d.ts")));
    expect(declarations.filter((file) => !reached.has(file))).toEqual([]);
  });
});
