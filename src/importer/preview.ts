// Counts what an import would store: the same reading, without writing.
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { transcriptFacts } from "../archive/index.ts";
import { databaseFile, type Home, type IsExcluded, pauses } from "../home/index.ts";
import { missedOf } from "../intake/index.ts";
import { removeTree, systemClock } from "../lib/index.ts";
import { redactValue } from "../redact/index.ts";
import { openStore, type Store } from "../store/index.ts";
import { claudeMemKey, openClaudeMem } from "./claudeMemSource.ts";
import { duplicateFilter } from "./duplicatePrompts.ts";
import type { ImportedClaudeMem } from "./importClaudeMem.ts";
import type { ImportSource } from "./importer.ts";
import { type ImportedTranscript, nothingNew, projectsFrom, sourceOf } from "./importTranscript.ts";
import { unreadable, type Watch } from "./model.ts";
import { pastSession, type SessionParts } from "./pastSession.ts";
import { type KeepPiece, readPast } from "./readPast.ts";

interface PreviewParts extends SessionParts {
  readonly store: Store;
  readonly counted: SessionByMessage;
}

interface PreviewedTranscript extends Omit<ImportedTranscript, "archived"> {
  /** Finds of secrets in what would be kept. */
  readonly secrets: number;
}

const redactPreviewed = <T>(value: T) => redactValue(value).value;

/** Counted messages and their sessions: a fork copies messages that are not stored yet. */
type SessionByMessage = Map<string, string>;

function makeCounter({ store, counted: messagesBefore }: PreviewParts, session: string) {
  const events: Record<string, number> = {};
  let [messages, secrets] = [0, 0];
  let [first, last] = ["", ""];
  const filtering = duplicateFilter({ store, redact: redactPreviewed }, session, { fromClaudeMem: true });
  const count: KeepPiece = async (happened, said) => {
    for (const event of await (await filtering)(happened)) {
      const [missed] = await missedOf([event], { store, lane: "import" });
      if (!missed) continue;
      events[missed.kind] = (events[missed.kind] ?? 0) + 1;
      // Counted in what the agent wrote: stored events are redacted.
      secrets += redactValue(event.payload).found.length;
      if (first === "" || missed.at < first) first = missed.at;
      if (missed.at > last) last = missed.at;
    }
    const uuids = said.map(({ uuid }) => uuid);
    messages += said.length - (await store.knownMessages(session, uuids)).size;
    for (const { uuid, role } of said) if (role !== "tool") messagesBefore.set(uuid, session);
  };
  const counted = () => ({ events, messages, secrets, ...(first && { from: first, to: last }) });
  return { count, counted };
}

/** For the detection of copies, what was counted is as good as stored. */
function withCounted(parts: PreviewParts): SessionParts {
  const { store, counted } = parts;
  const messagesElsewhere: Store["messagesElsewhere"] = async (session, uuids) => {
    const here = uuids.filter((uuid) => (counted.get(uuid) ?? session) !== session);
    return new Set([...(await store.messagesElsewhere(session, uuids)), ...here]);
  };
  return { ...parts, store: { events: (request) => store.events(request), messagesElsewhere } };
}

/** Throws as an import does, and changes nothing. */
async function previewTranscript(
  parts: PreviewParts,
  transcript: string,
  watch: Watch,
): Promise<PreviewedTranscript> {
  const { key, state } = sourceOf(transcript);
  const facts = await transcriptFacts(transcript).catch(unreadable);
  const { session } = facts;
  if ((await parts.store.sourceState(key)) === state)
    return { outcome: "unchanged", session, ...nothingNew, secrets: 0 };
  const past = await pastSession(withCounted(parts), transcript, facts).catch(unreadable);
  const counter = makeCounter(parts, session);
  const read = await readPast(past, counter.count, watch);
  const project = projectsFrom(past.cwd)(past.cwd);
  return { outcome: "imported", session, project, ...counter.counted(), ...read };
}

/** All of its rows, unless it was imported as it is. */
async function previewClaudeMem(
  { store }: Pick<PreviewParts, "store">,
  file: string,
): Promise<Omit<ImportedClaudeMem, "leftOut">> {
  const source = await openClaudeMem(file).catch(unreadable);
  try {
    const { counts, state, sessions } = source;
    const isKnown = (await store.sourceState(claudeMemKey(file))) === state;
    const nothing = { prompts: 0, observations: 0, summaries: 0 };
    const outcome = isKnown ? "unchanged" : "imported";
    return { outcome, sessions: sessions.length, ...(isKnown ? nothing : counts) };
  } finally {
    source.close();
  }
}

export type PreviewedSource =
  | ({ readonly kind: "transcript" } & PreviewedTranscript)
  | ({ readonly kind: "claude-mem" } & Omit<ImportedClaudeMem, "leftOut">);

export interface Preview {
  /** Throws as an import does. */
  of(source: ImportSource, watch: Watch): Promise<PreviewedSource>;
  close(): Promise<void>;
}

/** Reads beside a worker or without one. Where there is no database yet, a temporary empty one takes its place. */
export async function openPreview(home: Home, isExcluded: IsExcluded): Promise<Preview> {
  const isThere = existsSync(databaseFile(home));
  const folder = isThere ? undefined : mkdtempSync(path.join(tmpdir(), "throughline-preview-"));
  const file = folder === undefined ? databaseFile(home) : path.join(folder, "empty.db");
  const store = await openStore({ file, readOnly: isThere });
  const counted: SessionByMessage = new Map();
  const parts = { store, counted, isExcluded, pauses: () => pauses(home), clock: systemClock };
  return {
    of: async ({ kind, file }, watch) =>
      kind === "transcript"
        ? { kind, ...(await previewTranscript(parts, file, watch)) }
        : { kind, ...(await previewClaudeMem(parts, file)) },
    close: async () => {
      await store.close();
      if (folder !== undefined) removeTree(folder);
    },
  };
}
