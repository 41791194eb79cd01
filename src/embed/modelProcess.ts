// A model in a child process: started by the first request, ended after a while without one, and with its parent.
import { type ChildProcess, spawn } from "node:child_process";
import { errorText, isObject, MINUTE } from "../lib/index.ts";
import { cannotEmbed } from "./embedder.ts";

interface ModelProgram {
  /** What it is called where it fails. */
  readonly name: string;
  /**
   * Its whole source. It is a text so that it needs no file of its own beside every bundle. It is asked `{ id, question }`
   * and answers `{ id, answer }` or `{ id, problem }`.
   */
  readonly source: string;
  /** Throws where something that it needs is not installed. */
  readonly args: () => readonly string[];
  /** What to do where it fails. */
  readonly fix: string;
}

/** Ends with its parent, since the channel closes; answers in any order. */
export const answering = (answer: string) => `
process.on("disconnect", () => process.exit());
process.on("message", async ({ id, question }) => {
  try {
    process.send({ id, answer: await (${answer})(question) });
  } catch (error) {
    process.send({ id, problem: String(error) });
  }
});`;

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/** One process and the requests that wait for it. */
class Running {
  readonly #program: ModelProgram;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #next = 0;
  isOver = false;

  constructor(program: ModelProgram) {
    this.#program = program;
    this.#child = spawn(process.execPath, ["--eval", program.source, ...program.args()], {
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      // Structured clone, because answers hold millions of numbers.
      serialization: "advanced",
      // The model gets no environment: no secrets, and no NODE_OPTIONS of the user.
      env: process.platform === "win32" ? { SystemRoot: process.env.SystemRoot } : {},
    });
    this.#child.unref();
    this.#child.channel?.unref();
    this.#child.on("message", (message: unknown) => this.#answered(message));
    this.#child.once("error", (error) => this.#ended(errorText(error)));
    this.#child.once("exit", (code, signal) => this.#ended(`it ended with ${signal ?? code}`));
  }

  ask(question: unknown): Promise<unknown> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.channel?.ref();
      this.#child.send({ id, question }, (error) => {
        if (error !== null) this.#ended(errorText(error));
      });
    });
  }

  get isBusy(): boolean {
    return this.#waiting.size > 0;
  }

  end(): void {
    this.#child.kill();
    this.#ended("it was closed");
  }

  #answered(message: unknown) {
    if (!isObject(message) || typeof message.id !== "number") return;
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (!this.isBusy) this.#child.channel?.unref();
    const { name, fix } = this.#program;
    if ("answer" in message) waiting?.resolve(message.answer);
    else waiting?.reject(cannotEmbed(`${name} failed: ${message.problem}`, fix));
  }

  #ended(why: string) {
    this.isOver = true;
    const { name, fix } = this.#program;
    for (const { reject } of this.#waiting.values())
      reject(cannotEmbed(`the process of ${name} is gone: ${why}`, fix));
    this.#waiting.clear();
  }
}

const MODEL_IDLE_MS = 2 * MINUTE;

export interface ModelProcess {
  ask(question: unknown): Promise<unknown>;
  /** Ends the process; the next request starts it again. */
  close(): Promise<void>;
}

export function modelProcess(program: ModelProgram, idleMs = MODEL_IDLE_MS): ModelProcess {
  let running: Running | undefined;
  let timer: NodeJS.Timeout | undefined;
  const close = async () => {
    clearTimeout(timer);
    running?.end();
    running = undefined;
  };
  const rest = () => {
    clearTimeout(timer);
    timer = setTimeout(() => (running?.isBusy === true ? rest() : void close()), idleMs);
    timer.unref();
  };
  return {
    ask: async (question) => {
      if (!running || running.isOver) running = new Running(program);
      rest();
      return running.ask(question);
    },
    close,
  };
}
