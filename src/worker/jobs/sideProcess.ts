// A background job that a process of its own carries out: asked with a JSON argument, answers with JSON on stdout.
import { type ChildProcess, spawn } from "node:child_process";
import { errorText, isObject, parseJson } from "../../lib/index.ts";
import type { Logger } from "../../log/index.ts";
import type { BackgroundJob } from "../backgroundJob.ts";

interface SideProcess<Answer> {
  /** The program of the process. */
  readonly script: string;
  /** When the first look is, and how often there is another. */
  readonly times: { readonly firstMs: number; readonly everyMs: number };
  /** What to ask; undefined when nothing is due. */
  question(): object | undefined;
  report(answer: Answer): void;
  readonly log: Logger;
  /** The log event of a process that failed. */
  readonly failure: string;
  /** Whether `stop` may kill the process; one that may not be killed finishes by itself. */
  readonly isKillable: boolean;
}

export function makeSideProcess<Answer>(parts: SideProcess<Answer>): Required<Omit<BackgroundJob, "note">> {
  const { script, times, log, failure } = parts;
  let timer: NodeJS.Timeout | undefined;
  let running: { readonly child: ChildProcess; readonly ended: Promise<void> } | undefined;
  const warn = (error: unknown) => log.warn({ problem: errorText(error) }, failure);
  const look = () => {
    timer = setTimeout(look, times.everyMs);
    try {
      const question = running ? undefined : parts.question();
      if (question === undefined) return;
      const { child, answer } = askChildProcess<Answer>(script, question);
      const ended = answer.then((given) => parts.report(given), warn);
      running = { child, ended };
      void ended.finally(() => {
        running = undefined;
      });
    } catch (error) {
      warn(error);
    }
  };
  return {
    start: () => {
      timer = setTimeout(look, times.firstMs);
    },
    busy: () => running !== undefined,
    stop: async () => {
      clearTimeout(timer);
      if (!parts.isKillable) return;
      running?.child.kill("SIGKILL");
      await running?.ended;
    },
  };
}

function askChildProcess<Answer>(script: string, question: object) {
  const child = spawn(process.execPath, [script, JSON.stringify(question)], {
    stdio: ["ignore", "pipe", "ignore"],
    windowsHide: true,
  });
  const answer = new Promise<Answer>((resolve, reject) => {
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    child.once("error", reject);
    child.once("close", (code, signal) => {
      const given = parseJson(text);
      if (isObject(given)) resolve(given as Answer);
      else reject(new Error(`the process ended with ${signal ?? code}`));
    });
  });
  return { child, answer };
}
