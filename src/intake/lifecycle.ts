// What happens to a session that more than one room has a part in: it is compacted, or it ends. One list of those who do.
import { errorText, givenText } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import type { CapturedEvent } from "../spool/index.ts";

export interface Occasion {
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

/** May be called again for the same occasion, also by the next worker. What it throws is logged and stops nobody else. */
export type OccasionHandler = (occasion: Occasion) => Promise<unknown>;

export interface Occasions {
  /** Has everybody do their part, one occasion after the other. Never rejects. */
  announce(occasion: Occasion): Promise<void>;
  /** Resolves when nothing is in hand. */
  settled(): Promise<void>;
}

/** The occasion that an event is, if it is one. `transcript` is used where the agent did not name it. */
export function occasionOf(event: CapturedEvent, transcript?: string): Occasion | undefined {
  const { kind, payload, agent, id, session } = event;
  const transcriptPath = event.transcript ?? transcript;
  if (agent !== undefined || transcriptPath === undefined) return undefined;
  const project = givenText(payload.project_dir) ?? (event.lane === "hooks" ? event.cwd : undefined);
  const told = {
    id,
    session,
    transcriptPath,
    cwd: event.cwd,
    ...(project === undefined ? {} : { project }),
    at: Date.parse(event.at),
  };
  if (kind === "pre-compact") return { ...told, kind: "compacting", trigger: givenText(payload.trigger) };
  if (kind === "session-end") return { ...told, kind: "ended", trigger: givenText(payload.reason) };
  if (kind === "post-compact" || (kind === "session-start" && payload.source === "compact"))
    return { ...told, kind: "compacted", trigger: givenText(payload.trigger) };
  return undefined;
}

export function makeOccasions(handlers: readonly OccasionHandler[], log: Logger): Occasions {
  let running: Promise<void> = Promise.resolve();
  const handle = async (occasion: Occasion): Promise<void> => {
    for (const handler of handlers) {
      try {
        await handler(occasion);
      } catch (error) {
        const { kind, session } = occasion;
        log.error({ kind, session, problem: errorText(error) }, "lifecycle.listener-failed");
      }
    }
  };
  return {
    announce(occasion) {
      running = running.then(() => handle(occasion));
      return running;
    },
    settled: () => running,
  };
}
