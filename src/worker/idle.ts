// When an idle worker stops, and when it releases the memory that its last work needed.
import { getHeapStatistics } from "node:v8";
import { collectGarbage, errorText, SECOND } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";

interface WorkerSituation {
  /** Milliseconds since something last happened. */
  readonly quietFor: number;
  /** 0 lets the worker stay for ever. */
  readonly idleMs: number;
  readonly isNeeded: boolean;
  /** False once the socket leads to another worker, or nowhere. */
  readonly holdsSocket: boolean;
}

export function decide(situation: WorkerSituation): "stay" | "idle" | "replaced" {
  const { quietFor, idleMs, isNeeded, holdsSocket } = situation;
  // A worker that cannot be reached is of no use, whatever it is doing; what it leaves undone is in the spool.
  if (!holdsSocket) return "replaced";
  return idleMs > 0 && quietFor >= idleMs && !isNeeded ? "idle" : "stay";
}

const RELEASE_AFTER_MS = 20 * SECOND;
/** Less is not worth the pause that it takes. */
const WORTH_RELEASING = 4 * 1024 * 1024;

/** `used` and `lean`: bytes of the heap in use now, and after the last release. */
export function isTimeToRelease({
  quietFor,
  isBusy,
  used,
  lean,
}: Readonly<{ quietFor: number; isBusy: boolean; used: number; lean: number }>) {
  return quietFor >= RELEASE_AFTER_MS && !isBusy && used - lean >= WORTH_RELEASING;
}

const heapInUse = () => getHeapStatistics().used_heap_size;

/** To be called now and then; releases memory when nothing happens. */
export function memoryReleaser(worker: { quietFor(): number; isBusy(): boolean }, log: Logger) {
  let lean = 0;
  const release = async (used: number) => {
    try {
      const began = performance.now();
      await releaseMemory();
      lean = heapInUse();
      log.debug({ used, lean, ms: Math.round(performance.now() - began) }, "memory.released");
    } catch (error) {
      log.warn({ problem: errorText(error) }, "memory.release-failed");
    }
  };
  return () => {
    const used = heapInUse();
    if (!isTimeToRelease({ quietFor: worker.quietFor(), isBusy: worker.isBusy(), used, lean })) return;
    // Set before it is done: the next call must not begin a second release.
    lean = used;
    void release(used);
  };
}

/**
 * What a browser does for a page in the background. A plain collection finds what is unused and keeps most of it for
 * later; this one moves what is in use together and gives the rest to the system. It takes some 100 ms.
 */
async function releaseMemory() {
  try {
    const { Session } = await import("node:inspector/promises");
    const session = new Session();
    session.connect();
    await session.post("HeapProfiler.collectGarbage");
    session.disconnect();
  } catch {
    // A Node that was built without its inspector.
    collectGarbage();
  }
}
