// The frontmatter of a memory: plain fields between two lines of dashes, read as untrusted input.
import { type Document, isAlias, isMap, isScalar, isSeq, parseDocument, stringify, visit } from "yaml";
import { defined } from "../../lib/index.ts";
import {
  authors,
  type MemoryContent,
  type MemoryProvenance,
  type MemoryType,
  memoryLimits,
  memoryTypes,
  trusts,
} from "./model.ts";

const FRONTMATTER = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)(?:\r?\n)?^---[ \t]*(?:\r?\n|$)/m;
/** Names that would change the prototype of an object. */
const FORBIDDEN_KEYS = new Set(["__proto__", "constructor", "prototype"]);

/** A memory as it was read from its file. */
interface ReadMemory extends MemoryProvenance {
  readonly name: string;
  readonly description: string;
  readonly type: MemoryType | undefined;
  readonly body: string;
  readonly problems: readonly string[];
}

/** Parses without expanding aliases; an alias is a problem. */
function readFrontmatter(text: string) {
  const match = FRONTMATTER.exec(text);
  if (match?.index !== 0) return { document: undefined, body: text, problems: ["it has no frontmatter"] };
  const [whole, yaml = ""] = match;
  const body = text.slice(whole.length);
  const bad = (problem: string) => ({ document: undefined, body, problems: [problem] });
  if (Buffer.byteLength(yaml) > memoryLimits.frontmatterBytes)
    return bad("its frontmatter is too large to be one");
  const document = parseDocument(yaml, {
    schema: "core",
    merge: false,
    logLevel: "silent",
    uniqueKeys: true,
  });
  const [error] = [...document.errors, ...document.warnings];
  if (error) return bad(`its frontmatter is no plain YAML: ${error.message.split("\n")[0]}`);
  if (!isMap(document.contents)) return bad("its frontmatter is no list of fields");
  const forbidden = forbiddenIn(document);
  return forbidden === undefined ? { document, body, problems: [] } : bad(forbidden);
}

function forbiddenIn(document: Document) {
  let problem: string | undefined;
  visit(document, {
    Node(_, node) {
      if (isAlias(node) || ("anchor" in node && node.anchor))
        problem ??= "its frontmatter has anchors or aliases, which memories do not need";
    },
    Pair(_, { key }) {
      if (isScalar(key) && FORBIDDEN_KEYS.has(String(key.value)))
        problem ??= `its frontmatter has a field ${String(key.value)}`;
    },
  });
  return problem;
}

/** Fields as texts: those at the top, and those that Claude Code keeps under `metadata`. */
function fieldTexts({ contents }: Document) {
  const fields = new Map<string, string | readonly string[]>();
  const collect = (map: unknown) => {
    if (!isMap(map)) return;
    for (const { key, value } of map.items) {
      if (!isScalar(key)) continue;
      const name = String(key.value);
      if (isScalar(value) && value.value !== null && !fields.has(name)) fields.set(name, String(value.value));
      if (isSeq(value) && value.items.every(isScalar))
        fields.set(
          name,
          value.items.map((item) => (isScalar(item) ? String(item.value) : "")),
        );
    }
  };
  collect(contents);
  if (isMap(contents)) collect(contents.get("metadata"));
  return fields;
}

/** A date, with or without a time. */
export const isTime = (text: string) =>
  /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/.test(text) &&
  !Number.isNaN(Date.parse(text));

/** Reads any text as a memory. Never throws; what is missing or wrong is a problem in words. */
export function readMemory(text: string): ReadMemory {
  const { document, body, ...head } = readFrontmatter(text);
  const problems = [...head.problems];
  const fields = document ? fieldTexts(document) : new Map<string, string>();
  const one = (name: string) => {
    const value = fields.get(name);
    if (typeof value !== "string") return undefined;
    // Control characters could steer a terminal that shows the field.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is taken out
    return value.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").trim() || undefined;
  };
  const time = (name: string) => {
    const value = one(name);
    if (value === undefined || isTime(value)) return value;
    problems.push(`${name} is ${JSON.stringify(value)}, which is no date`);
    return undefined;
  };
  const among = <T extends string>(name: string, known: readonly T[]) => {
    const value = one(name);
    const found = known.find((each) => each === value);
    if (value !== undefined && found === undefined)
      problems.push(`${name} is ${JSON.stringify(value)}; it can be ${known.join(", ")}`);
    return found;
  };
  const type = among("type", memoryTypes);
  if (document)
    for (const name of ["name", "description", "type"])
      if (one(name) === undefined) problems.push(`${name} is missing`);
  const supersedes = fields.get("supersedes");
  return {
    name: one("name") ?? "",
    description: one("description") ?? "",
    type,
    body: body.trim(),
    ...defined({
      created: time("created"),
      lastVerified: time("last_verified"),
      expires: time("expires"),
      validUntil: time("valid_until"),
      session: one("source_session") ?? one("originSessionId"),
      turn: one("source_turn"),
      author: among("author", authors),
      trust: among("trust", trusts),
      supersedes: supersedes === undefined ? undefined : [supersedes].flat(),
      supersededBy: one("superseded_by"),
    }),
    problems,
  };
}

/** The fields of the file, in the order in which a person reads them. */
function frontmatterOf(memory: MemoryContent) {
  const { name, description, type, created, session, turn, author, trust, supersedes = [] } = memory;
  return defined({
    ...{ name, description, type, created, source_session: session, source_turn: turn, author, trust },
    last_verified: memory.lastVerified,
    supersedes: supersedes.length > 1 ? supersedes : supersedes[0],
    expires: memory.expires,
    valid_until: memory.validUntil,
    superseded_by: memory.supersededBy,
  });
}

export function renderMemory(memory: MemoryContent) {
  return `---\n${stringify(frontmatterOf(memory), { lineWidth: 0 })}---\n\n${memory.body.trim()}\n`;
}

/** Replaces the words of an existing memory; unknown fields and comments stay where they are. */
export function renderOver(text: string, memory: MemoryContent) {
  const { document } = readFrontmatter(text);
  if (!document) return renderMemory(memory);
  const { type, ...head } = frontmatterOf(memory);
  // Claude Code keeps the type, and what session it came from, under `metadata`.
  document.setIn(
    document.hasIn(["metadata", "type"]) && !document.has("type") ? ["metadata", "type"] : ["type"],
    type,
  );
  if (document.getIn(["metadata", "originSessionId"]) === head.source_session) delete head.source_session;
  for (const [name, value] of Object.entries(head)) document.set(name, value);
  for (const name of ["last_verified", "supersedes", "expires", "valid_until", "superseded_by"])
    if (!(name in head)) document.delete(name);
  return `---\n${document.toString({ lineWidth: 0 })}---\n\n${memory.body.trim()}\n`;
}

/** Sets single fields of a file; comments, unknown fields and the body stay. Undefined when it cannot be read. */
export function withFields(text: string, fields: Readonly<Record<string, string>>) {
  const { document, body } = readFrontmatter(text);
  if (!document) return undefined;
  for (const [name, value] of Object.entries(fields)) document.set(name, value);
  return `---\n${document.toString({ lineWidth: 0 })}---\n${body.startsWith("\n") ? "" : "\n"}${body}`;
}
