// Reads the text of a settings file of Claude Code, and refuses what cannot be edited safely.
import { getNodeValue } from "jsonc-parser";
import { lineAt, type Node, parseDocument } from "../jsonc/index.ts";
import { isObject, type JsonObject, parseJson, ThroughlineError } from "../lib/index.ts";

const MARK = "\uFEFF";

/** Splits off the byte-order mark that some editors put first. */
export function withoutMark(text: string): { readonly mark: string; readonly body: string } {
  return text.startsWith(MARK) ? { mark: MARK, body: text.slice(1) } : { mark: "", body: text };
}

type SettingsReading =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly line: number; readonly problem: string };

function twice(node: Node, depth: number): Node | undefined {
  if (depth === 0 || node.type !== "object") return undefined;
  const seen = new Set<unknown>();
  for (const property of node.children ?? []) {
    const [name, value] = property.children ?? [];
    if (seen.has(name?.value)) return property;
    seen.add(name?.value);
    const below = value && twice(value, depth - 1);
    if (below !== undefined) return below;
  }
  return undefined;
}

/** What of the shape would make an edit go wrong. */
function misshapen(tree: Node): { node: Node; problem: string } | undefined {
  if (tree.type !== "object") return { node: tree, problem: "the settings must be an object" };
  const repeated = twice(tree, 2);
  if (repeated !== undefined) {
    return { node: repeated, problem: `${String(repeated.children?.[0]?.value)} is set twice` };
  }
  for (const property of tree.children ?? []) {
    const [name, value] = property.children ?? [];
    if (value === undefined) continue;
    if ((name?.value === "hooks" || name?.value === "env") && value.type !== "object") {
      return { node: value, problem: `${name.value} must be an object` };
    }
    if (name?.value !== "hooks") continue;
    const wrong = value.children?.find((event) => event.children?.[1]?.type !== "array");
    if (wrong !== undefined) {
      return { node: wrong, problem: `hooks.${String(wrong.children?.[0]?.value)} must be a list` };
    }
  }
  return undefined;
}

/** Never throws: a file that cannot be used is a finding for some and an error for others. */
export function readSettings(text: string): SettingsReading {
  const { body } = withoutMark(text);
  const { tree, error } = parseDocument(body);
  const refuse = (offset: number, problem: string): SettingsReading => ({
    ok: false,
    line: lineAt(body, offset),
    problem,
  });
  if (error !== undefined) return refuse(error.offset, `not valid JSON (${error.words})`);
  if (tree === undefined) return { ok: true, value: {} };
  const wrong = misshapen(tree);
  if (wrong !== undefined) return refuse(wrong.node.offset, wrong.problem);
  // Through text once more: the parser's objects have no prototype, and would equal nothing of ours.
  const value = parseJson(JSON.stringify(getNodeValue(tree)));
  return { ok: true, value: isObject(value) ? value : {} };
}

/** Whether Claude Code would read it: comments and trailing commas keep it from reading the file at all. */
export function isPlainJson(text: string): boolean {
  const { body } = withoutMark(text);
  return body.trim() === "" || parseJson(body) !== undefined;
}

/** The value of a settings text. Throws `settings-invalid` with the line that is wrong. */
export function settingsValue(text: string, file: string): JsonObject {
  const reading = readSettings(text);
  if (reading.ok) return reading.value;
  throw new ThroughlineError("settings-invalid", `${file}:${reading.line}: ${reading.problem}`, {
    fix: `edit line ${reading.line} of ${file}, then run this again; nothing was changed`,
  });
}
