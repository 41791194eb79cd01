// Declarations of the package: every type that an entry point's exports mention is exported by it too, and only files
// that an entry point reaches are kept.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseAst } from "vite";

const known = new Map();

const targetOf = (file, from) => path.join(path.dirname(file), from.replace(/\.[jt]s$/, ".d.ts"));

function declaredBy(statement) {
  if (statement.declaration) return declaredBy(statement.declaration);
  return statement.declarations ?? [statement];
}

/** Top-level declarations by name, and names that come from or go to other files. */
function read(file) {
  const [own, imported, exported] = [new Map(), new Map(), new Map()];
  const text = readFileSync(file, "utf8");
  for (const statement of parseAst(text, { lang: "ts" }).body) {
    const { type, source, specifiers = [] } = statement;
    const isExport = type === "ExportNamedDeclaration";
    for (const one of specifiers) {
      const name = (isExport ? one.local : (one.imported ?? one.local)).name;
      const target = source?.value.startsWith(".") ? targetOf(file, source.value) : source ? undefined : file;
      if (target)
        (isExport ? exported : imported).set((one.exported ?? one.local).name, { file: target, name });
    }
    if (source) continue;
    for (const { id, ...rest } of declaredBy(statement).filter((one) => one.id)) {
      own.set(id.name, [...(own.get(id.name) ?? []), { ...rest, statement: statement.start, isExport }]);
      if (isExport) exported.set(id.name, { file, name: id.name });
    }
  }
  return { text, own, imported, exported };
}

function declarationsIn(file) {
  if (!known.has(file)) known.set(file, read(file));
  return known.get(file);
}

/** Undefined for a global, a type parameter and a name of another package. */
function originOf({ file, name }) {
  if (!existsSync(file)) return undefined;
  const { own, imported, exported } = declarationsIn(file);
  if (own.has(name)) return { file, name };
  const next = imported.get(name) ?? exported.get(name);
  return next && (next.file !== file || next.name !== name) ? originOf(next) : undefined;
}

function mentionedIn(node) {
  if (Array.isArray(node)) return node.flatMap(mentionedIn);
  if (node === null || typeof node !== "object") return [];
  const name =
    node.type === "TSTypeReference" ? node.typeName : node.type === "TSInterfaceHeritage" && node.expression;
  return [...(name ? [name.name] : []), ...Object.values(node).flatMap(mentionedIn)];
}

/** Types that the exports of an entry point mention, themselves or through other types, and that it does not export. */
export function unexportedTypes(entry) {
  const waiting = [...declarationsIn(entry).exported.keys()].flatMap(
    (name) => originOf({ file: entry, name }) ?? [],
  );
  const seen = new Set(waiting.map(({ file, name }) => `${file}: ${name}`));
  const missing = [];
  for (let origin = waiting.pop(); origin; origin = waiting.pop()) {
    const { file } = origin;
    for (const name of mentionedIn(declarationsIn(file).own.get(origin.name))) {
      const found = originOf({ file, name });
      if (!found || seen.has(`${found.file}: ${found.name}`)) continue;
      seen.add(`${found.file}: ${found.name}`);
      waiting.push(found);
      missing.push(found);
    }
  }
  return missing;
}

/** A declaration that its file keeps to itself. */
function makeExported({ file, name }) {
  const { text, own } = declarationsIn(file);
  const hidden = own.get(name).filter(({ isExport }) => !isExport);
  if (hidden.length === 0) return;
  const places = hidden.map(({ statement }) => statement).sort((a, b) => b - a);
  writeFileSync(
    file,
    places.reduce((whole, at) => `${whole.slice(0, at)}export ${whole.slice(at)}`, text),
  );
  known.delete(file);
}

/** Two types of one name: the second is exported with the name of its module before it. */
function exportMissing(entry, folder) {
  const taken = new Set(declarationsIn(entry).exported.keys());
  const lines = unexportedTypes(entry).map(({ file, name }) => {
    makeExported({ file, name });
    const [module] = path.relative(folder, file).split(path.sep);
    const alias = taken.has(name) ? `${module[0].toUpperCase()}${module.slice(1)}${name}` : name;
    taken.add(alias);
    const from = path
      .relative(path.dirname(entry), file)
      .replaceAll(path.sep, "/")
      .replace(/\.d\.ts$/, ".js");
    return `export type { ${alias === name ? name : `${name} as ${alias}`} } from "${from.startsWith(".") ? from : `./${from}`}";\n`;
  });
  writeFileSync(entry, declarationsIn(entry).text + lines.join(""));
  known.delete(entry);
}

function reachedFrom(entries) {
  const reached = new Set(entries);
  for (const file of reached)
    for (const [, from] of readFileSync(file, "utf8").matchAll(/(?:from |import\()"(\.[^"]+)"/g))
      reached.add(targetOf(file, from));
  return reached;
}

/** Completes the entry points and removes every other declaration below `folder`. */
export function publishTypes(folder, entries) {
  for (const entry of entries) exportMissing(entry, folder);
  const reached = reachedFrom(entries);
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const file = path.join(folder, name);
    if (name.endsWith(".d.ts") && !reached.has(file)) rmSync(file);
  }
}
