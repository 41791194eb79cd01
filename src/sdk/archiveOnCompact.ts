// A PreCompact callback for the Agent SDK: archives the conversation before it is compacted, and changes nothing else.
import path from "node:path";
import {
  type ArchiveContent,
  type ArchiveFormatName,
  type ArchiveOptions,
  archiveName,
  archiveTranscript,
  conversationsFolder,
  transcriptFacts,
} from "../archive/index.ts";
import { currentExclusion, projectOf, resolveHome, vaultFolder } from "../home/index.ts";
import { defined, isObject } from "../lib/index.ts";
import { openVault } from "../vault/index.ts";
import { type ArchivedConversation, archiveRendered } from "./renderedArchive.ts";

/** Where and in what form conversations are archived. */
export interface ArchiveOnCompactOptions {
  /** Folder that holds `groups/<group>/conversations/`; Throughline's data folder without it. */
  readonly dir?: string;
  /** The project of the session's working folder without it. */
  readonly group?: string;
  /** What the archive calls the assistant. Default `Assistant`. */
  readonly assistantName?: string;
  readonly format?: ArchiveFormatName;
  /** `conversation` holds only what user and assistant said. Default `full`. */
  readonly content?: ArchiveContent;
  /** The folder of the archives itself: `dir` without groups. */
  readonly path?: string;
  /** File name, made of `{date} {time} {slug} {summary} {id} {session}`; or a function, and then every compaction writes a whole file. */
  readonly name?: string | ((conversation: ArchivedConversation) => string);
  /** The text of an archive in a form of your own; every compaction writes a whole file. */
  readonly render?: (conversation: ArchivedConversation) => string;
  /** False puts archives into `dir` itself. Default true. */
  readonly groups?: boolean;
  /** Texts are cut here. Default: whole, of a conversation alone 2,000 characters. */
  readonly maxTextCharacters?: number;
  /** Called with the error when an archive could not be written; the agent does not see it. */
  readonly onError?: (error: unknown) => void;
}

/** Fits `options.hooks.PreCompact[].hooks[]` of the Agent SDK's `query()`. */
export type PreCompactCallback = (
  input: unknown,
  toolUseId?: string,
  context?: { readonly signal?: AbortSignal },
) => Promise<Record<string, never>>;

/** The callback always resolves to `{}`: it never throws, and adds nothing to what the model reads. */
export function archiveOnCompact(options: ArchiveOnCompactOptions = {}): PreCompactCallback {
  return async (input, _toolUseId, context) => {
    try {
      await archiveInput(input, options, context?.signal);
    } catch (error) {
      report(options.onError, error);
    }
    return {};
  };
}

async function archiveInput(
  input: unknown,
  {
    path: own,
    dir: base = own,
    group,
    groups = own === undefined,
    name,
    render,
    onError: _,
    ...form
  }: ArchiveOnCompactOptions,
  signal: AbortSignal | undefined,
) {
  if (!isObject(input)) return;
  const { transcript_path: transcript, session_id: session, cwd } = input;
  // Some versions pass an empty path.
  if (typeof transcript !== "string" || transcript === "") return;
  const home = resolveHome();
  const folder = typeof cwd === "string" && cwd !== "" ? cwd : process.cwd();
  const isExcluded = currentExclusion(home, process.env);
  const { cwd: startedIn } = await transcriptFacts(transcript);
  if (isExcluded(folder, startedIn)) return;
  const archive: ArchiveOptions = {
    dir: base === undefined ? home.data : path.resolve(base),
    group: group ?? projectOf(folder).id,
    ...(typeof session === "string" && session !== "" && { session }),
    groups: groups || base === undefined,
    ...defined({ ...form, nameTemplate: typeof name === "string" ? name : undefined, signal }),
    ...(await (await import("../worker/index.ts")).archivableInProcess(home, isExcluded)),
  };
  if (render || typeof name === "function")
    return archiveRendered(transcript, archive, {
      folder: archive.groups ? conversationsFolder(archive.dir, archive.group) : archive.dir,
      name: typeof name === "function" ? name : (conversation) => nameFrom(name, conversation),
      render,
    });
  try {
    await archiveTranscript(transcript, { ...archive, vault: openVault(vaultFolder(home)) });
  } catch (error) {
    // If only the vault cannot be written, an archive without handles is better than none.
    if (base === undefined) throw error;
    await archiveTranscript(transcript, archive);
  }
}

/** A name from a template, for texts that the program renders. */
function nameFrom(
  template = "{date}-{slug}-{id}.md",
  { title, session, archivedAt, messages }: ArchivedConversation,
) {
  const beganAt = new Date(messages[0]?.at ?? archivedAt).getTime();
  const extension = path.extname(template);
  const stem = template.slice(0, template.length - extension.length);
  return archiveName({ template: stem, title, session, extension, beganAt }, () => false);
}

function report(onError: ArchiveOnCompactOptions["onError"], error: unknown) {
  try {
    onError?.(error);
  } catch {
    // A listener that throws must not make the callback throw.
    return;
  }
}
