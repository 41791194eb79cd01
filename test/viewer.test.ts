// The page as it is built: small, with nothing inline and nothing from elsewhere, and in the project's shape.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { dissect, importCycles, readSources, withoutHeader } from "./sourceTree.ts";

const root = path.resolve(import.meta.dirname, "..");
const MOST_BYTES = 130_000;
const MOST_FIRST_BYTES = 60_000;
const MAX_FILE_LINES = 400;
const MAX_FUNCTION_LINES = 60;

let folder = "";
let files: { name: string; bytes: Buffer }[] = [];

beforeAll(async () => {
  // As it is built for users: under test, libraries would bring their warnings along.
  vi.stubEnv("NODE_ENV", "production");
  folder = mkdtempSync(path.join(tmpdir(), "tl-v-"));
  await build({
    configFile: path.join(root, "viewer", "vite.config.ts"),
    build: { outDir: folder, emptyOutDir: true },
  });
  files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.\w+$/.test(name))
    .map((name) => ({ name: name.split(path.sep).join("/"), bytes: readFileSync(path.join(folder, name)) }));
});

afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const textOf = (name: string): string =>
  files.find((file) => file.name === name)?.bytes.toString("utf8") ?? "";

describe("the built page", () => {
  it(`has less than ${MOST_BYTES / 1_000} KB in all, compressed`, () => {
    const sizes = files.map(({ name, bytes }) => ({ name, size: gzipSync(bytes).length }));
    expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(MOST_BYTES);
  });

  it(`needs less than ${MOST_FIRST_BYTES / 1_000} KB of that for its first paint: the page, what it names, and the modules these import`, () => {
    const needed = new Set(["index.html"]);
    for (const name of needed) {
      const text = textOf(name);
      const named = name.endsWith(".html")
        ? /(?:src|href)="\/(assets\/[^"]+)"/g
        : /(?:from|import)\s*"\.\/([^"]+)"/g;
      for (const [, target = ""] of text.matchAll(named))
        needed.add(target.startsWith("assets/") ? target : `assets/${target}`);
    }
    expect(needed.size).toBeGreaterThan(3);
    const sizes = [...needed].map((name) => gzipSync(textOf(name)).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_FIRST_BYTES);
  });

  it("has files of the names that the worker serves, each with a hash but for the page and its sign", () => {
    const names = files.map(({ name }) => name);
    expect(names).toContain("index.html");
    const odd = names.filter((name) => !/^assets\/[\w.-]+-[\w-]{8}\.(js|css)$/.test(name));
    expect(odd.toSorted()).toEqual(["favicon.svg", "index.html"]);
  });

  it("has nothing inline, and loads nothing from elsewhere", () => {
    const html = textOf("index.html");
    expect([...html.matchAll(/<script\b[^>]*>([^<]*)/g)].filter(([, inside]) => inside !== "")).toEqual([]);
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:/i);
    const loaded = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, target]) => target ?? "");
    expect(loaded.filter((target) => !/^\/(assets\/|favicon\.svg$)/.test(target))).toEqual([]);
    for (const { name, bytes } of files.filter((file) => file.name.endsWith(".css"))) {
      expect({ name, urls: bytes.toString("utf8").match(/url\(|@import/g) }).toEqual({ name, urls: null });
    }
  });
});

describe("its sources", () => {
  const sources = readSources(path.join(root, "viewer", "src"));
  const dissected = sources.map(dissect);

  it("are short, and so are their functions", () => {
    const long = sources.filter(({ text }) => text.split("\n").length - 1 > MAX_FILE_LINES);
    const functions = dissected.flatMap(({ file, functions: all }) =>
      all
        .filter(({ lines }) => lines > MAX_FUNCTION_LINES)
        .map(({ line, lines }) => `${file}:${line} has ${lines}`),
    );
    expect([...long.map(({ file }) => file), ...functions]).toEqual([]);
  });

  it("begin with a sentence, name what they export, and do something with what they catch", () => {
    expect(withoutHeader(sources)).toEqual([]);
    expect(dissected.flatMap(({ reExportsAll, emptyCatches }) => [...reExportsAll, ...emptyCatches])).toEqual(
      [],
    );
    expect(importCycles(dissected)).toEqual([]);
  });

  it("take from the worker nothing but types and the parts of a window", () => {
    const outside = dissected.flatMap(({ file, valueImports }) =>
      valueImports
        .filter((target) => target.startsWith(".."))
        .map((target) => `${file} → ${path.basename(target)}`),
    );
    expect(outside.filter((one) => !one.endsWith("→ wire.ts"))).toEqual([]);
  });

  it("write HTML in one place alone, behind the sanitiser", () => {
    const writing = sources.filter(({ text }) =>
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/.test(text),
    );
    expect(writing.map(({ file }) => file)).toEqual([]);
  });
});
