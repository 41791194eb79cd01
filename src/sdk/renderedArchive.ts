// Writes archives with a `render` function of the caller: reads the conversation like the built-in archive, then stores what it returns.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type ArchiveOptions, archiveTranscript } from "../archive/index.ts";
import { defined, isObject, type JsonObject, parseJson, writeFileAtomic } from "../lib/index.ts";

/** One text of a conversation, with its secrets hidden. */
export interface ArchivedMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
  /** ISO time, where the transcript has it. */
  readonly at?: string;
}

/** A conversation as it is archived. */
export interface ArchivedConversation {
  readonly session: string;
  readonly group: string;
  readonly title: string;
  readonly assistantName: string;
  readonly archivedAt: Date;
  readonly messages: readonly ArchivedMessage[];
}

interface ArchiveForm {
  /** The folder that the file is written to. */
  readonly folder: string;
  /** The file's name; a conversation that is archived again under the same name replaces the file. */
  readonly name: (conversation: ArchivedConversation) => string;
  /** The file's text; Markdown without it. */
  readonly render?: ((conversation: ArchivedConversation) => string) | undefined;
}

/** Nothing is written of a conversation in which nothing was said. */
export async function archiveRendered(
  transcript: string,
  options: ArchiveOptions,
  { folder, name, render }: ArchiveForm,
) {
  const conversation = conversationOf(await archivedText(transcript, { ...options, format: "json" }));
  if (!conversation) return;
  const text = render ? render(conversation) : await archivedText(transcript, { ...options, format: "md" });
  if (text === undefined) return;
  // A title may hold anything: the name stays a name.
  writeFileAtomic(path.join(folder, name(conversation).replace(/[\\/\0]+/g, "-")), text);
}

/** The whole archive of a transcript, as it would be written by itself. */
async function archivedText(transcript: string, options: ArchiveOptions) {
  const dir = mkdtempSync(path.join(tmpdir(), "throughline-archive-"));
  try {
    const { file } = await archiveTranscript(transcript, {
      ...options,
      dir,
      groups: false,
      content: "conversation",
    });
    return file === undefined ? undefined : readFileSync(file, "utf8");
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function conversationOf(text: string | undefined): ArchivedConversation | undefined {
  const read = parseJson(text ?? "");
  if (!isObject(read) || !Array.isArray(read.parts)) return undefined;
  return {
    session: String(read.session),
    group: String(read.group),
    title: String(read.title),
    assistantName: String(read.assistantName),
    archivedAt: new Date(String(read.archivedAt)),
    messages: read.parts.filter(isObject).flatMap(messageOf),
  };
}

function messageOf({ kind, role, agent, text, at }: JsonObject): ArchivedMessage[] {
  if (kind !== "text" || agent !== undefined || (role !== "user" && role !== "assistant")) return [];
  return [{ role, text: String(text), ...defined({ at: typeof at === "string" ? at : undefined }) }];
}
