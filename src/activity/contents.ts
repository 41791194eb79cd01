// What the conversation last knew of each file's content: as it was read or written, with later edits made in it.
import { isObject } from "../lib/index.ts";
import { type History, withoutReminders } from "../messages/index.ts";
import { callsIn, type FileAction, fileOfCall, type ToolCall } from "./toolCall.ts";

interface KnownContent {
  readonly text: string;
  /** Only a part of the file was read; this is the number of its first line. */
  readonly firstLine?: number;
}

/** By path, the file that was touched last at the end. Files whose text was never seen are not there. */
export function knownContents(history: History): Map<string, KnownContent> {
  const known = new Map<string, KnownContent>();
  for (const call of callsIn(history)) {
    const file = fileOfCall(call);
    if (!file || call.outcome !== "ok") continue;
    const now = contentAfter(call, file.action, known.get(file.path));
    known.delete(file.path);
    if (now) known.set(file.path, now);
  }
  return known;
}

function contentAfter(
  { input, output }: ToolCall,
  action: FileAction,
  before: KnownContent | undefined,
): KnownContent | undefined {
  if (action === "written") return typeof input.content === "string" ? { text: input.content } : before;
  if (action === "edited") return before && { ...before, text: edited(before.text, input) };
  const read = readContent(output);
  const isPart = input.offset !== undefined || input.limit !== undefined;
  if (read.text.trim() === "") return before;
  if (!isPart) return { text: read.text };
  // A part says nothing new about a file that is known as a whole.
  if (before && before.firstLine === undefined) return before;
  return { text: read.text, firstLine: read.firstLine ?? 1 };
}

const lineNumber = /^\s*(\d+)(?:→|\t)/;

/** Readers put a number before every line and reminders behind the last. */
export function readContent(result: string): { readonly text: string; readonly firstLine?: number } {
  const lines = withoutReminders(result).trimEnd().split("\n");
  const first = lineNumber.exec(lines[0] ?? "")?.[1];
  if (first === undefined) return { text: lines.join("\n") };
  return { text: lines.map((line) => line.replace(lineNumber, "")).join("\n"), firstLine: Number(first) };
}

/** Replacements are made where their old text stands; one that is not in sight changes a part that is not known. */
function edited(text: string, input: Readonly<Record<string, unknown>>): string {
  const edits = Array.isArray(input.edits) ? input.edits.filter(isObject) : [input];
  return edits.reduce((now, { old_string: from, new_string: to, replace_all: all }) => {
    if (typeof from !== "string" || typeof to !== "string" || from === "") return now;
    // A function: in a replacement text `$&` would mean something.
    return all === true ? now.replaceAll(from, () => to) : now.replace(from, () => to);
  }, text);
}
