// Where a session's traces are: its transcript, as its events tell, and its ledger.
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
import { userSettings } from "../settings/index.ts";
import type { EventStore } from "../store/index.ts";
import type { InspectedSession } from "./view.ts";

export interface TraceSources {
  readonly home: Home;
  readonly env: Environment;
  readonly store: Pick<EventStore, "events">;
}

/** Enough to find one of the main thread among those of subagents. */
const LOOKED_AT = 20;

async function transcriptOf(store: TraceSources["store"], session: string): Promise<string | undefined> {
  const { items } = await store.events({ session, limit: LOOKED_AT });
  return items.find(({ agent, transcript }) => agent === undefined && transcript !== undefined)?.transcript;
}

/** The session's own folder, where that has a ledger. */
export function ledgerPlace(home: Home, session: string): SessionPlace | undefined {
  return listSessions(home).find(
    (place) => place.session === safeName(session) && existsSync(ledgerFile(place)),
  );
}

/** Neither transcript nor ledger need be there. */
export async function tracesOf(sources: TraceSources, session: string): Promise<InspectedSession> {
  const { home, env, store } = sources;
  const place = ledgerPlace(home, session);
  const transcript = await transcriptOf(store, session);
  return {
    session,
    vault: vaultFolder(home),
    models: userSettings(home, env).models,
    ...(place === undefined ? {} : { ledger: ledgerFile(place) }),
    ...(transcript === undefined ? {} : { transcript }),
  };
}
