// One request that is compacted on disk, in the words of each source: the same for every process.
import path from "node:path";
import { noteSections, renderNotes } from "../../src/compact/index.ts";
import { resolveHome, sessionPlace } from "../../src/home/index.ts";
import {
  openSession,
  type Prepared,
  type PrepareInput,
  prepare,
  type Session,
  thriftySettings,
} from "../../src/pipeline/index.ts";
import { KEEP_ALL } from "../fixtures/pipeline/client.ts";
import { asked, onlyCompaction, rounds, windowsOf } from "../fixtures/pipeline/filling.ts";

export const sources = ["messages", "notes", "model"] as const;
export type Source = (typeof sources)[number];

const messages = [asked, ...rounds(24)];
const ids = messages.map((_, at) => `m${at}`);
const ROOM = 20_000;

/** With `compacts` false the session shows what its ledger says and decides nothing. */
export function openCompacting(folder: string, compacts: boolean): Session {
  const home = resolveHome({
    env: { THROUGHLINE_HOME: folder },
    platform: process.platform,
    homeFolder: folder,
  });
  const settings = onlyCompaction(thriftySettings);
  return openSession(sessionPlace(home, "project", "killed"), {
    settings: { ...settings, autocompact: { ...settings.autocompact, enabled: compacts } },
    models: windowsOf(ROOM),
    vault: path.join(folder, "vault"),
    resultsFolder: path.join(folder, "results"),
  });
}

const words: Readonly<Record<Source, Partial<PrepareInput>>> = {
  messages: {},
  notes: {
    notes: {
      lastSummarizedId: ids[40],
      text: renderNotes({
        ...(Object.fromEntries(noteSections.map((name) => [name, ""])) as Parameters<typeof renderNotes>[0]),
        "Current State": "Rename computeInvoiceTotals everywhere. Never touch the schema.",
      }),
    },
  },
  model: { summary: { from: "model", text: "A model wrote these words.", through: ids[40] ?? "" } },
};

export function prepareStep(session: Session, source: Source): Prepared {
  return prepare({ session, model: KEEP_ALL, messages, ids, now: 2, ...words[source] });
}
