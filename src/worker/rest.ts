// A worker that rests: when nothing happens it gives back the memory that the last work needed.
import { getHeapStatistics } from "node:v8";
import { collectGarbage, errorText } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import type { Engine } from "./engine.ts";
import { isTimeToRest } from "./idle.ts";

const heapInUse = (): number => getHeapStatistics().used_heap_size;

/** To be called now and then; rests when it is time. */
export function resting(engine: Pick<Engine, "quietFor" | "isBusy">, log: Logger): () => void {
  let lean = 0;
  const rest = async (used: number): Promise<void> => {
    try {
      const began = performance.now();
      await giveBackMemory();
      lean = heapInUse();
      log.debug({ used, lean, ms: Math.round(performance.now() - began) }, "memory.released");
    } catch (error) {
      log.warn({ problem: errorText(error) }, "memory.release-failed");
    }
  };
  return () => {
    const used = heapInUse();
    if (!isTimeToRest({ quietFor: engine.quietFor(), isBusy: engine.isBusy(), used, lean })) return;
    // Said before it is done: the next look must not begin a second rest.
    lean = used;
    void rest(used);
  };
}

/**
 * What a browser does for a page in the background. A plain collection finds what is unused and keeps most of it for
 * later; this one moves what is in use together and gives the rest to the system. It takes some 100 ms.
 */
async function giveBackMemory(): Promise<void> {
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
