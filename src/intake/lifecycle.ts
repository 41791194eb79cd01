// Compactions and ends of sessions, and the listeners that act on them: snapshot, archive, account.
import { defined, errorText, givenText, serialQueue } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import type { CapturedEvent } from "../spool/index.ts";

export interface LifecycleEvent {
  /** `compacting`: the whole window is still there. `compacted`: it is not. `ended`: nothing more will come. */
  readonly kind: "compacting" | "compacted" | "ended";
  /** The same for the same event; one compaction may be noticed several times, each with an id of its own. */
  readonly id: string;
  readonly session: string;
  readonly transcriptPath: string;
  readonly cwd: string | undefined;
  /** The folder that the agent was started in, where a hook said so. */
  readonly project?: string;
  /** `manual` or `auto` for compactions, the reason for ends. */
  readonly trigger: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** May be called again for the same event, also by the next worker. What it throws is logged; the next listener runs. */
export type LifecycleListener = (event: LifecycleEvent) => Promise<unknown>;

export interface Lifecycle {
  /** Calls every listener, one event after the other. Never rejects. */
  announce(event: LifecycleEvent): Promise<void>;
  /** Resolves when every event that was announced is handled. */
  idle(): Promise<void>;
}

/** Undefined for an event that neither compacts nor ends a session. `transcript` is used where the agent did not name it. */
export function lifecycleEventOf(event: CapturedEvent, transcript?: string): LifecycleEvent | undefined {
  const { kind, payload, agent, id, session } = event;
  const transcriptPath = event.transcript ?? transcript;
  if (agent !== undefined || transcriptPath === undefined) return undefined;
  const project = givenText(payload.project_dir) ?? (event.lane === "hooks" ? event.cwd : undefined);
  const common = {
    id,
    session,
    transcriptPath,
    cwd: event.cwd,
    at: Date.parse(event.at),
    ...defined({ project }),
  };
  if (kind === "pre-compact") return { ...common, kind: "compacting", trigger: givenText(payload.trigger) };
  if (kind === "session-end") return { ...common, kind: "ended", trigger: givenText(payload.reason) };
  if (kind === "post-compact" || (kind === "session-start" && payload.source === "compact"))
    return { ...common, kind: "compacted", trigger: givenText(payload.trigger) };
  return undefined;
}

export function makeLifecycle(listeners: readonly LifecycleListener[], log: Logger): Lifecycle {
  const queue = serialQueue();
  const notify = async (event: LifecycleEvent) => {
    for (const listener of listeners) {
      try {
        await listener(event);
      } catch (error) {
        const { kind, session } = event;
        log.error({ kind, session, problem: errorText(error) }, "lifecycle.listener-failed");
      }
    }
  };
  return { announce: (event) => queue.run(() => notify(event)), idle: queue.idle };
}
