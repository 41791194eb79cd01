// Reads the source tree as the architecture tests see it: files, imports, functions, and the table of modules.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseAst } from "vitest/node";
import { isObject, type JsonObject } from "../src/lib/index.ts";

export interface Source {
  /** Path below `src`, with forward slashes. */
  readonly file: string;
  readonly text: string;
}

interface Anatomy extends Source {
  /** Files below `src` that it imports, types and lazy imports included. */
  readonly imports: readonly string[];
  /** Those of them that are still there when the types are gone. */
  readonly valueImports: readonly string[];
  readonly functions: readonly { readonly line: number; readonly lines: number }[];
  readonly reExportsAll: readonly number[];
  readonly emptyCatches: readonly number[];
}

export function readSources(folder: string): Source[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => name.split(path.sep).join("/"))
    .filter((name) => /\.tsx?$/.test(name) && !/\.(test|soak)\.ts$/.test(name))
    .sort()
    .map((file) => ({ file, text: readFileSync(path.join(folder, file), "utf8") }));
}

function* nodes(value: unknown): Generator<JsonObject> {
  if (Array.isArray(value)) for (const item of value) yield* nodes(item);
  else if (isObject(value)) {
    if (typeof value.type === "string") yield value;
    for (const child of Object.values(value)) yield* nodes(child);
  }
}

const importing = new Set([
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "ImportExpression",
  "TSImportType",
]);
const functional = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

function isTypeOnly({ type, importKind, exportKind }: JsonObject): boolean {
  return type === "TSImportType" || importKind === "type" || exportKind === "type";
}

function isEmptyBlock(block: unknown): boolean {
  return isObject(block) && Array.isArray(block.body) && block.body.length === 0;
}

export function dissect({ file, text }: Source): Anatomy {
  const lineOf = (offset: unknown): number => text.slice(0, Number(offset)).split("\n").length;
  // The parser knows no shebang; the line stays, so that line numbers do too.
  const program = parseAst(text.replace(/^#!.*/, ""), { lang: file.endsWith(".tsx") ? "tsx" : "ts" });
  const shift = text.length - text.replace(/^#!.*/, "").length;
  const imports: string[] = [];
  const valueImports: string[] = [];
  const functions: { line: number; lines: number }[] = [];
  const reExportsAll: number[] = [];
  const emptyCatches: number[] = [];
  for (const node of nodes(program)) {
    const line = lineOf(Number(node.start) + shift);
    const { type, source } = node;
    if (importing.has(String(type)) && isObject(source) && String(source.value).startsWith(".")) {
      const target = path.posix.join(path.posix.dirname(file), String(source.value));
      imports.push(target);
      if (!isTypeOnly(node)) valueImports.push(target);
    }
    if (type === "ExportAllDeclaration") reExportsAll.push(line);
    if (type === "CatchClause" && isEmptyBlock(node.body)) emptyCatches.push(line);
    if (functional.has(String(type)))
      functions.push({ line, lines: lineOf(Number(node.end) + shift) - line + 1 });
  }
  return { file, text, imports, valueImports, functions, reExportsAll, emptyCatches };
}

/** What each module may import, by module. A name with a slash is a smaller entry point of a module. */
type Table = ReadonlyMap<string, ReadonlySet<string>>;

const named = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? "");

/** Reads the table whose header begins with `| module`. */
export function parseTable(page: string): Table {
  const table = new Map<string, Set<string>>();
  const lines = page.split("\n");
  const start = lines.findIndex((line) => line.startsWith("| module"));
  for (const line of lines.slice(start + 2)) {
    if (start === -1 || !line.startsWith("|")) break;
    const [, modules = "", , may = ""] = line.split("|");
    const above = may.includes("every module above");
    const exceptions = above ? named(may) : [];
    const allowed = above ? [...table.keys()].filter((module) => !exceptions.includes(module)) : named(may);
    for (const module of named(modules)) table.set(module, new Set(allowed));
  }
  return table;
}

/** The first part of a path below `src`; a file that stands in `src` itself is a front of the package. */
export function moduleOf(file: string): string | undefined {
  return file.includes("/") ? file.slice(0, file.indexOf("/")) : undefined;
}

function importProblem(from: string, target: string, table: Table): string | undefined {
  const [module, other] = [moduleOf(from), moduleOf(target)];
  if (other === undefined) return "imports a front of the package";
  if (module === other) return undefined;
  const face = faceOf(target);
  const allowed = module === undefined ? new Set(table.keys()) : table.get(module);
  if (allowed === undefined) return `is in ${module}, which the table does not know`;
  if (target === `${other}/index.ts` && (other === "lib" || allowed.has(other))) return undefined;
  if (allowed.has(face) && face !== other) return undefined;
  if (allowed.has(other)) return `imports ${target} past ${other}/index.ts`;
  return `imports ${face}, which is not among what ${module} may import`;
}

/** Every import that the table does not allow, and every one that goes past a module's face. */
export function forbiddenImports(files: readonly Anatomy[], table: Table): string[] {
  return files.flatMap(({ file, imports }) =>
    imports.flatMap((target) => {
      const problem = importProblem(file, target, table);
      return problem === undefined ? [] : `${file} ${problem}`;
    }),
  );
}

const faceOf = (target: string): string => target.replace(/(\/index)?\.ts$/, "");

/** What the table allows and no import needs. */
export function idleArrows(files: readonly Anatomy[], table: Table): string[] {
  return [...table].flatMap(([module, allowed]) => {
    const own = files.filter(({ file }) => moduleOf(file) === module);
    const used = new Set(own.flatMap(({ imports }) => imports.map(faceOf)));
    return [...allowed].filter((face) => !used.has(face)).map((face) => `${module} → ${face}`);
  });
}

/** Import cycles, each as the files along it. Types may refer to each other: they are gone at run time. */
export function importCycles(files: readonly Anatomy[]): string[] {
  const imports = new Map(files.map((file) => [file.file, file.valueImports]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    const at = trail.indexOf(file);
    if (at !== -1) cycles.push([...trail.slice(at), file].join(" → "));
    if (at !== -1 || done.has(file)) return;
    for (const next of imports.get(file) ?? []) visit(next, [...trail, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  return cycles;
}

/** Files that do not begin with a comment that is a sentence. */
export function withoutHeader(files: readonly Source[]): string[] {
  return files
    .filter(({ text }) => {
      const lines = text.replace(/^#!.*\n/, "").split("\n");
      const end = lines.findIndex((line) => !line.startsWith("//"));
      return !/^\/\/ \S.*[.:]$/s.test(lines.slice(0, end).join("\n"));
    })
    .map(({ file }) => file);
}
