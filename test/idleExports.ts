// Finds unused exports: dead code that looks alive, and public APIs wider than their use.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseAst } from "vitest/node";
import { isObject, type JsonObject } from "../src/lib/index.ts";
import type { Source } from "./sourceTree.ts";

const EVERYTHING = "*";

interface Names {
  readonly file: string;
  readonly exported: readonly string[];
  readonly imported: readonly { readonly from: string; readonly name: string }[];
}

/** Every module below these folders of `root`, tests included; paths begin at `root`. */
export function readModules(root: string, folders: readonly string[]): Source[] {
  return folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => `${folder}/${name.split(path.sep).join("/")}`)
      .map((file) => ({ file, text: readFileSync(path.join(root, file), "utf8") })),
  );
}

const objects = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
const nameOf = (value: unknown): string => (isObject(value) ? String(value.name) : "");

function declared(declaration: unknown): string[] {
  if (!isObject(declaration)) return [];
  return [declaration, ...objects(declaration.declarations)].map(({ id }) => nameOf(id)).filter(Boolean);
}

function namesIn({ file, text }: Source): Names {
  const target = (source: string): string => path.posix.join(path.posix.dirname(file), source);
  const plain = text.replace(/^#!.*/, "");
  const exported: string[] = [];
  const imported = [...plain.matchAll(/\bimport\(\s*"(\.[^"]+)"/g)].map(([, source = ""]) => ({
    from: target(source),
    name: EVERYTHING,
  }));
  const { body } = parseAst(plain, { lang: file.endsWith(".tsx") ? "tsx" : "ts" });
  for (const { type, source, specifiers, declaration } of objects(body)) {
    const names = objects(specifiers);
    const isExport = type === "ExportNamedDeclaration";
    if (isExport) exported.push(...declared(declaration), ...names.map((one) => nameOf(one.exported)));
    if (!isObject(source)) continue;
    const from = target(String(source.value));
    for (const one of names)
      imported.push({ from, name: nameOf(isExport ? one.local : one.imported) || EVERYTHING });
  }
  return { file, exported, imported };
}

const room = (file: string): string => file.split("/").slice(0, 2).join("/");
const isFace = (file: string): boolean => /^src\/[^/]+\/index\.ts$/.test(file);

/** `file: name` for every export of `src` that no other file imports, and of a face that no other room does. */
export function idleExports(modules: readonly Source[], fronts: readonly string[]): string[] {
  const names = modules.map(namesIn);
  const users = new Map<string, Set<string>>();
  for (const { file, imported } of names)
    for (const { from, name } of imported) {
      const key = `${from}: ${name}`;
      users.set(key, (users.get(key) ?? new Set()).add(file));
    }
  const isUsed = (file: string, name: string): boolean =>
    [name, EVERYTHING].some((one) =>
      [...(users.get(`${file}: ${one}`) ?? [])].some((user) => !isFace(file) || room(user) !== room(file)),
    );
  return names
    .filter(({ file }) => file.startsWith("src/") && !fronts.includes(file))
    .flatMap(({ file, exported }) =>
      exported.filter((name) => !isUsed(file, name)).map((name) => `${file}: ${name}`),
    );
}
