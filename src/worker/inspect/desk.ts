// What the page asks about windows: a session's window over time, one event of it, exact bytes, and an undo.
import { existsSync } from "node:fs";
import { loadConfig } from "../../config/index.ts";
import {
  type Home,
  ledgerFile,
  listSessions,
  type SessionPlace,
  safeName,
  ThroughlineError,
  vaultFolder,
} from "../../lib/index.ts";
import { openSession, undo } from "../../pipeline/index.ts";
import type { Store } from "../../store/index.ts";
import { findModel, type ModelOverrides } from "../../tokens/index.ts";
import { openVault, recall } from "../../vault/index.ts";
import type { RecallPage, Undoing, WindowEventDetail, WindowView } from "../http/wire.ts";
import { neutralFolder } from "../settingsAccess.ts";
import type { Inspector } from "./inspector.ts";
import type { InspectedSession } from "./view.ts";

export interface WindowDeskParts {
  readonly home: Home;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly store: Pick<Store, "events">;
  readonly inspector: Inspector;
}

/** Every method rejects with `not-found` for what is not known. */
export interface WindowDesk {
  view(session: string): Promise<WindowView>;
  event(session: string, event: string): Promise<WindowEventDetail>;
  recall(handle: string, offset: number): RecallPage;
  undo(session: string, entry: string): Promise<Undoing>;
}

/** Characters of one page of what is recalled. */
const PAGE = 64_000;

/** The last place before `end` that does not divide a character. */
function between(text: string, end: number): number {
  const isDivided = end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
  return isDivided ? end - 1 : Math.min(end, text.length);
}

export function makeWindowDesk({ home, env, store, inspector }: WindowDeskParts): WindowDesk {
  const settings = (): { models: ModelOverrides; model: string } =>
    loadConfig({ home, cwd: neutralFolder(home), env }).values;

  const placeOf = (session: string): SessionPlace | undefined =>
    listSessions(home).find((place) => place.session === safeName(session) && existsSync(ledgerFile(place)));

  const transcriptOf = async (session: string): Promise<string | undefined> => {
    const { items } = await store.events({ session, limit: 20 });
    return items.find(({ agent, transcript }) => agent === undefined && transcript !== undefined)?.transcript;
  };

  const find = async (session: string): Promise<InspectedSession> => {
    const place = placeOf(session);
    const transcript = await transcriptOf(session);
    if (place === undefined && transcript === undefined) {
      throw new ThroughlineError("not-found", `nothing is known of the window of a session ${session}`);
    }
    return {
      session,
      vault: vaultFolder(home),
      models: settings().models,
      ...(place === undefined ? {} : { ledger: ledgerFile(place) }),
      ...(transcript === undefined ? {} : { transcript }),
    };
  };

  return {
    view: async (session) => inspector.view(await find(session)),
    event: async (session, event) => inspector.event(await find(session), event),
    recall(handle, offset) {
      const { text, handle: full, totalBytes } = recall(openVault(vaultFolder(home)), handle);
      const from = Math.max(0, Math.min(offset, text.length));
      const end = between(text, from + PAGE);
      return {
        handle: full,
        text: text.slice(from, end),
        ...(end < text.length ? { next: end } : {}),
        bytes: totalBytes,
      };
    },
    async undo(session, entry) {
      const place = placeOf(session);
      if (place === undefined) {
        throw new ThroughlineError("not-found", `the session ${session} has no ledger`);
      }
      const { models, model } = settings();
      const opened = openSession(place, { vault: vaultFolder(home), models });
      const { points } = await inspector.view(await find(session));
      const last = points.findLast((point) => findModel(point.model, models))?.model;
      const { entries, waiting } = undo(opened, entry, { model: last ?? model });
      return {
        undone: entries.map(({ id }) => id),
        ...(waiting === undefined ? {} : { waiting }),
      };
    },
  };
}
