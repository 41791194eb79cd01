// Holds the glossary: retired words are gone from file names, top-level names and log events, banned phrases from prose.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parseAst } from "vitest/node";
import { isObject, type JsonObject } from "../src/lib/index.ts";

const root = path.resolve(import.meta.dirname, "..");
const tracked = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter(Boolean);
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");

/** The first column of the table under "Retired words". */
function retiredWords(): string[] {
  const [, section = ""] = read("docs/glossary.md").split("## Retired words");
  return [...section.matchAll(/^\| ([a-zA-Z, ]+?) +\|/gm)]
    .flatMap(([, cell = ""]) => cell.split(", "))
    .filter((word) => word !== "retired" && word !== "");
}

/** `makeMemoryDesk` as `make`, `memory`, `desk`. */
const wordsOf = (name: string): string[] =>
  name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g)?.map((word) => word.toLowerCase()) ?? [];

/** Files in which a retired word has its ordinary meaning. */
const ordinary: readonly (readonly [file: RegExp, words: readonly string[], reason: string])[] = [
  [/(?:^|\/)bmad\//, ["story"], "BMad calls its units of work stories"],
  [
    /^(?:test\/sample|scripts\/pictures|scripts\/start|test\/e2e)\//,
    ["story"],
    "the script of the recorded session",
  ],
  [/^(?:viewer|bench)\//, ["draw", "scene"], "a chart or a picture is drawn"],
];

const retired = new Set(retiredWords().map((word) => word.toLowerCase()));

function isRetired(file: string, name: string): boolean {
  const allowed = ordinary.flatMap(([pattern, words]) => (pattern.test(file) ? words : []));
  return wordsOf(name)
    .flatMap((word) => [word, word.replace(/s$/, ""), word.replace(/ies$/, "y")])
    .some((word) => retired.has(word) && !allowed.includes(word));
}

const code = tracked.filter((file) => /^(src|plugin|viewer|scripts|test|bench)\/.*\.(tsx?|mjs)$/.test(file));

function topLevelNames(file: string): string[] {
  const text = read(file).replace(/^#!.*/, "");
  const lang = file.endsWith(".mjs") ? "js" : file.endsWith("x") ? "tsx" : "ts";
  const { body } = parseAst(text, { lang }) as unknown as { body: JsonObject[] };
  return body.flatMap((node) => {
    const declaration = isObject(node.declaration) ? node.declaration : node;
    const { id, declarations } = declaration;
    const ids = Array.isArray(declarations)
      ? declarations.map((one) => (isObject(one) ? one.id : undefined))
      : [id];
    return ids.flatMap((one) => (isObject(one) && typeof one.name === "string" ? [one.name] : []));
  });
}

describe("retired words", () => {
  it("are read from the glossary", () => {
    expect(retiredWords()).toEqual(expect.arrayContaining(["desk", "office", "told", "telling", "heldBack"]));
  });

  it("are gone from the names of files", () => {
    expect(code.filter((file) => isRetired(file, path.basename(file).replace(/\..*$/, "")))).toEqual([]);
  });

  it("are gone from top-level names", () => {
    const found = code
      .filter((file) => !/^(test|bench)\//.test(file) && !/\.(test|soak)\.tsx?$/.test(file))
      .flatMap((file) =>
        topLevelNames(file)
          .filter((name) => isRetired(file, name))
          .map((name) => `${file}: ${name}`),
      );
    expect(found).toEqual([]);
  });
});

const LOG_CALL =
  /\blog(?:ger)?\.(?:debug|info|warn|error|fatal)\(\s*(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\},\s*)?(["`])((?:(?!\1).)*)\1/gs;

describe("log lines", () => {
  it("are events with fields", () => {
    const found = code
      .filter((file) => file.startsWith("src/") && !/\.(test|soak)\.ts$/.test(file))
      .flatMap((file) => [...read(file).matchAll(LOG_CALL)].map(([, , text = ""]) => `${file}: ${text}`))
      .filter((line) => !/: [a-z]+(?:-[a-z]+)*(?:\.[a-z]+(?:-[a-z]+)*)+$/.test(line));
    expect(found).toEqual([]);
  });
});

const BANNED =
  /\b(?:whoever|somebody(?:'s)?|nobody(?:'s)?|those who|in office|the house)\b|\b(?:rooms?|doors?) of the\b/i;

/** Texts that quote what users, seeds or other programs write, with the reason. */
const quoting: readonly (readonly [RegExp, string])[] = [
  [/^(?:test\/fixtures|bench\/results|sample)\//, "recorded"],
  [/^viewer\/src\/texts\//, "texts of the viewer"],
  [
    /^src\/claims\/references\.ts$|^src\/memdir\/admit\/outsideCode\.ts$|^src\/redact\/addressed\.ts$|^src\/embed\/contract\.ts$/,
    "patterns and samples of what others write",
  ],
  [
    /^(?:test\/sample|scripts\/pictures|scripts\/start)\/|^scripts\/screenshots\.mjs$/,
    "what people in the sample say",
  ],
  [/^test\/glossary\.test\.ts$|^docs\/(?:glossary|renames)\.md$/, "names them"],
];

/** Of a test only comments and titles are prose; the rest is data. */
const isProse = (file: string, line: string): boolean =>
  !/^(?:test|bench)\/|\.(?:test|soak)\.tsx?$/.test(file) ||
  /^\s*(?:\/\/|\/?\*)|\b(?:it|describe)\b.*\(/.test(line);

describe("prose", () => {
  it("has no banned phrase", () => {
    const found = tracked
      .filter((file) => /\.(?:md|tsx?|mjs)$/.test(file))
      .filter((file) => !quoting.some(([pattern]) => pattern.test(file)))
      .flatMap((file) =>
        read(file)
          .split("\n")
          .flatMap((line, at) =>
            BANNED.test(line) && isProse(file, line) ? [`${file}:${at + 1}: ${line.trim()}`] : [],
          ),
      );
    expect(found).toEqual([]);
  });
});

describe("walkthroughs", () => {
  const pages = tracked.filter((file) => /^docs\/walkthroughs\/[a-z-]+\.md$/.test(file));

  it("are the four", () => {
    expect(pages.map((file) => path.basename(file)).sort()).toEqual([
      "compact.md",
      "prepare.md",
      "search.md",
      "tool-event.md",
    ]);
  });
});
