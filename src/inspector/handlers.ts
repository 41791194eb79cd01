// Handlers of the inspector: a session's window over time, one event, exact bytes, and undo.

import { existsSync } from "node:fs";
import {
  type Environment,
  type Home,
  ledgerFile,
  listSessions,
  type SessionPlace,
  safeName,
  vaultFolder,
} from "../home/index.ts";
import { defined, notFoundError } from "../lib/index.ts";
import { openSession, settingsFor, undo } from "../pipeline/index.ts";
import { userSettings } from "../settings/index.ts";
import type { EventStore, KnowledgeStore } from "../store/index.ts";
import { findModel } from "../tokens/index.ts";
import { openVault, recall } from "../vault/index.ts";
import type { Inspector } from "./inspector.ts";
import type { RecallPage, Undoing } from "./model.ts";
import type { ReplayScope, ReplayState } from "./replays.ts";
import { makeTraceHandlers } from "./trace/handlers.ts";
import type { InspectedSession } from "./view.ts";

interface WindowHandlerParts extends TraceSources {
  /** Begins to replay sessions, or says how far it is. */
  readonly replay: (scope: ReplayScope) => ReplayState;
  readonly inspector: Inspector;
  readonly store: TraceSources["store"] & Pick<KnowledgeStore, "prompts">;
}

export type WindowHandlers = ReturnType<typeof makeWindowHandlers>;

/** Characters of one page of what is recalled. */
const RECALL_PAGE = 64_000;

/** The last place before `end` that does not divide a character. */
function between(text: string, end: number) {
  const isDivided = end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
  return isDivided ? end - 1 : Math.min(end, text.length);
}

/** Every handler rejects with `not-found` for what is not known. */
export function makeWindowHandlers({ inspector, replay, ...sources }: WindowHandlerParts) {
  const { home, env } = sources;
  const find = async (session: string) => {
    const found = await tracesOf(sources, session);
    if (found.ledger !== undefined || found.transcript !== undefined) return found;
    throw notFoundError(`nothing is known of the window of a session ${session}`);
  };

  return {
    ...makeTraceHandlers({
      inspector,
      store: sources.store,
      find: (session) => tracesOf(sources, session),
    }),
    replay,
    view: async (session: string) => inspector.view(await find(session)),
    event: async (session: string, event: string) => inspector.event(await find(session), event),
    /** The requests are counted from 0. */
    compare: async (session: string, from: number, to: number) =>
      inspector.compare(await find(session), `${from} ${to}`),
    /** `notesFolder` says where a session has its notes. */
    preview: async (session: string, notesFolder: (place: SessionPlace) => string) => {
      const { policy, compaction, model } = userSettings(home, env);
      const place = listSessions(home).find((one) => one.session === safeName(session));
      const notes = place && notesFolder(place);
      const rules = { settings: settingsFor(policy, compaction), model, ...defined({ notes }) };
      return inspector.preview({ ...(await find(session)), compaction: rules });
    },
    recall(handle: string, offset: number): RecallPage {
      const { text, handle: full, totalBytes } = recall(openVault(vaultFolder(home)), handle);
      const from = Math.max(0, Math.min(offset, text.length));
      const end = between(text, from + RECALL_PAGE);
      return {
        handle: full,
        text: text.slice(from, end),
        ...(end < text.length && { next: end }),
        bytes: totalBytes,
      };
    },
    async undo(session: string, entry: string): Promise<Undoing> {
      const place = ledgerPlace(home, session);
      if (!place) throw notFoundError(`the session ${session} has no ledger`);
      const { models, model } = userSettings(home, env);
      const opened = openSession(place, { vault: vaultFolder(home), models });
      const { points } = await inspector.view(await find(session));
      const last = points.findLast((point) => findModel(point.model, models))?.model;
      const { entries, waiting } = undo(opened, entry, { model: last ?? model });
      return { undone: entries.map(({ id }) => id), ...defined({ waiting }) };
    },
  };
}

interface TraceSources {
  readonly home: Home;
  readonly env: Environment;
  readonly store: Pick<EventStore, "events">;
}

/** Enough to find one of the main thread among those of subagents. */
const EVENTS_READ = 20;

export async function sessionTranscript(store: Pick<EventStore, "events">, session: string) {
  const { items } = await store.events({ session, limit: EVENTS_READ });
  return items.find(({ agent, transcript }) => agent === undefined && transcript !== undefined)?.transcript;
}

/** The session's own folder, where that has a ledger. */
function ledgerPlace(home: Home, session: string) {
  return listSessions(home).find(
    (place) => place.session === safeName(session) && existsSync(ledgerFile(place)),
  );
}

/** Neither transcript nor ledger need be there. */
export async function tracesOf(sources: TraceSources, session: string): Promise<InspectedSession> {
  const { home, env, store } = sources;
  const place = ledgerPlace(home, session);
  const transcript = await sessionTranscript(store, session);
  return {
    session,
    vault: vaultFolder(home),
    models: userSettings(home, env).models,
    ...defined({ transcript, ledger: place && ledgerFile(place) }),
  };
}
