// Home: what runs, what was spent, what was decided last, what waits for a person, and whether everything works.
import { type Environment, projectOf } from "../../home/index.ts";
import { type WindowGauge, windowGauge } from "../../inspector/index.ts";
import { defined, MINUTE } from "../../lib/index.ts";
import { userSettings } from "../../settings/index.ts";
import type { Observation } from "../../store/index.ts";
import type { MemoryHandlers } from "../routes/memoryHandlers.ts";
import type { Decision, HomeFacts, RunningSession, UsageSummary, WaitingMemories } from "../wire.ts";
import { type SessionPlaces, sessionCards } from "./sessions.ts";

interface HomeParts {
  readonly places: SessionPlaces;
  readonly memories: Pick<MemoryHandlers, "quarantine">;
  readonly usage: (eastMinutes: number) => Promise<UsageSummary>;
  readonly now: () => number;
}

/** A session that was silent for longer is not shown as one that runs. */
const RUNNING_WITHIN = 30 * MINUTE;
const MOST_RUNNING = 6;
const RECENT_SESSIONS = 5;
const DECISIONS = 5;
/** Sessions of subagents stand between the events of the main thread. */
const EVENTS_READ = 20;
const MOST_PROJECTS = 50;

async function gaugeOf({ store, home, env }: SessionPlaces, session: string, now: number) {
  const { items } = await store.events({ session, limit: EVENTS_READ });
  const transcript = items.find(({ agent, transcript: file }) => agent === undefined && file)?.transcript;
  if (transcript === undefined) return undefined;
  return windowGauge(transcript, modelsOf(home, env), now);
}

const modelsOf = (home: SessionPlaces["home"], env: Environment) => userSettings(home, env).models;

async function runningSessions({ places, now }: HomeParts): Promise<RunningSession[]> {
  const { items } = await sessionCards(places.store, { status: "active", limit: MOST_RUNNING });
  const since = now() - RUNNING_WITHIN;
  const running = await Promise.all(
    items
      .filter(({ lastActivityEpoch }) => lastActivityEpoch >= since)
      .map(async (card) => {
        const window: WindowGauge | undefined = await gaugeOf(places, card.claudeSessionId, now());
        return { card, lanes: await places.store.lanesOf(card.claudeSessionId), ...defined({ window }) };
      }),
  );
  // Of a session that was imported as rows no agent reports anything.
  return running.filter(({ lanes }) => lanes.length > 0);
}

function decisionFrom({ id, title, evidence = [], ...row }: Observation): Decision {
  const {
    project,
    claudeSessionId: session,
    promptNumber,
    createdAt: at,
    facts = [],
    subtitle,
    narrative,
  } = row;
  const because = subtitle ?? narrative;
  return {
    ref: `#${id}`,
    ...{ title, at, project, session, promptNumber, facts: facts.slice(0, 3) },
    evidence: evidence.length,
    ...defined({ because }),
  };
}

async function waitingMemories({ places, memories }: HomeParts): Promise<WaitingMemories[]> {
  const folders = await places.store.workFolders();
  const own = folders.filter(({ project, folder }) => projectOf(folder).id === project);
  return own.slice(0, MOST_PROJECTS).flatMap(({ project, folder }) => {
    const count = memories.quarantine(folder).length;
    return count === 0 ? [] : [{ project, count }];
  });
}

export async function homeFacts(parts: HomeParts, eastMinutes: number): Promise<HomeFacts> {
  const { store } = parts.places;
  const [running, usage, recent, decisions, quarantined, { counts }] = await Promise.all([
    runningSessions(parts),
    parts.usage(eastMinutes),
    sessionCards(store, { limit: RECENT_SESSIONS }),
    store.observations({ type: "decision", limit: DECISIONS }),
    waitingMemories(parts),
    store.stats(),
  ]);
  return {
    running,
    recent: recent.items,
    usage,
    decisions: decisions.items.map(decisionFrom),
    quarantined,
    steps: { captured: counts.events > 0, remembered: counts.observations > 0 },
  };
}
