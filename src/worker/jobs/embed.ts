// Vectors in the background: opens the embedder of the settings, makes vectors of what waits, and answers questions.
import type { Config } from "../../config/index.ts";
import { type Embedder, openOnnx, openPackaged, openServer, openStatic } from "../../embed/index.ts";
import type { Environment } from "../../home/index.ts";
import { errorText, MINUTE, SECOND } from "../../lib/index.ts";
import type { Logger } from "../../log/index.ts";
import { type EmbeddingStore, embedNext } from "../../search/index.ts";
import type { BackgroundJob } from "../backgroundJob.ts";

export type EmbedderSettings = Config["search"];

export interface EmbeddingParts {
  readonly store: EmbeddingStore;
  /** Read again and again, since settings change while a worker runs; undefined where they cannot be read. */
  readonly settings: () => EmbedderSettings | undefined;
  readonly open: (settings: EmbedderSettings) => Promise<Embedder | undefined>;
  readonly log: Pick<Logger, "warn">;
  /** How often it looks for work, and how long it leaves alone what failed. */
  readonly pauses?: { readonly lookMs: number; readonly failedMs: number };
}

export interface Embedding extends Required<Omit<BackgroundJob, "note">> {
  /** The embedder of the settings as they are now; undefined for `none`. Rejects where it cannot be opened. */
  current(): Promise<Embedder | undefined>;
}

export function openEmbedder(env: Environment, redact: (text: string) => string): EmbeddingParts["open"] {
  return async ({ embedder, model, baseUrl, apiKeyEnv, modelFile }) => {
    if (embedder === "none") return undefined;
    if (embedder === "packaged") return openPackaged();
    if (embedder === "onnx") return openOnnx({ file: modelFile });
    if (embedder === "model2vec") return openStatic({ file: modelFile });
    return openServer({ model, baseUrl, apiKeyEnv, env, redact });
  };
}

const usualPauses = { lookMs: 10 * SECOND, failedMs: MINUTE };

interface Opened {
  readonly key: string;
  readonly embedder: Promise<Embedder | undefined>;
  /** On a clock that never jumps. */
  readonly at: number;
  failed: boolean;
}

/** One embedder at a time: other settings close it. What failed to open is not tried again at once. */
function makeHolder({ settings, open, pauses = usualPauses }: EmbeddingParts) {
  let opened: Opened | undefined;
  const close = async () => {
    const old = opened;
    opened = undefined;
    // One that never opened has nothing to close.
    await old?.embedder.then((embedder) => embedder?.close()).catch(() => undefined);
  };
  return {
    close,
    current: async () => {
      const wanted = settings();
      if (!wanted || wanted.embedder === "none") {
        await close();
        return undefined;
      }
      const key = JSON.stringify(wanted);
      const isStale = opened?.failed === true && performance.now() - opened.at > pauses.failedMs;
      if (opened && opened.key === key && !isStale) return opened.embedder;
      const before = close();
      const next: Opened = { key, at: performance.now(), failed: false, embedder: open(wanted) };
      opened = next;
      next.embedder.catch(() => {
        next.failed = true;
      });
      await before;
      return next.embedder;
    },
  };
}

export function makeEmbedding(parts: EmbeddingParts): Embedding {
  const { store, log, pauses = usualPauses } = parts;
  const holder = makeHolder(parts);
  let isStopping = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  const round = async () => {
    const embedder = await holder.current();
    if (!embedder) return;
    while (!isStopping && (await embedNext(store, embedder)) > 0);
  };
  const look = (waitMs: number) => {
    if (isStopping) return;
    timer = setTimeout(() => {
      running = round()
        .then(
          () => look(pauses.lookMs),
          (error: unknown) => {
            if (!isStopping) log.warn({ problem: errorText(error) }, "embed.failed");
            look(pauses.failedMs);
          },
        )
        .finally(() => {
          running = undefined;
        });
    }, waitMs);
    timer.unref();
  };
  return {
    current: holder.current,
    start: () => look(0),
    busy: () => running !== undefined,
    stop: async () => {
      isStopping = true;
      clearTimeout(timer);
      // What is in hand is not waited for: the next worker makes it again.
      await holder.close();
      await running;
    },
  };
}
