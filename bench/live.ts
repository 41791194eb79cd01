// Whether a real model uses handles: tasks that need what has left the window, with handles, whole, and without either.
import { loadConfig } from "../src/config/index.ts";
import { resolveHome } from "../src/home/index.ts";
import type { LanguageModel } from "../src/models/index.ts";
import { languageModel } from "../src/settings/index.ts";
import { type Bench, NotRun, type Outcome } from "./bench.ts";
import { type Played, play } from "./live/play.ts";
import { liveTasks, type Task, ways } from "./live/tasks.ts";
import { type Condition, conditions, windowOf } from "./live/window.ts";
import { option, rounded } from "./measure.ts";

/** What the pipeline prepares for; which model answers is another matter. */
const PREPARED_FOR = "claude-opus-4-6";
const USUAL_MODEL = "claude-haiku-5-5";
const WITHOUT_KEY =
  "no model was asked. Set ANTHROPIC_API_KEY, or llm.provider and its key in the settings, and run it again; it asks about 50 times, 300,000 tokens in all";

interface Sat {
  readonly task: Task;
  readonly condition: Condition;
  readonly played: Played;
}

const sum = (all: readonly Sat[], pick: (played: Played) => number): number =>
  all.reduce((total, { played }) => total + pick(played), 0);

function row(what: string, all: readonly Sat[]) {
  return {
    window: what,
    tasks: all.length,
    "right %": rounded((100 * sum(all, ({ isCorrect }) => (isCorrect ? 1 : 0))) / Math.max(1, all.length), 1),
    recalls: sum(all, ({ recalls }) => recalls),
    "in vain": sum(all, ({ failedRecalls }) => failedRecalls),
    "kept file read": sum(all, ({ reads }) => reads),
    requests: sum(all, ({ requests }) => requests),
    "prompt tokens": sum(all, ({ promptTokens }) => promptTokens),
    "output tokens": sum(all, ({ outputTokens }) => outputTokens),
  };
}

/** Every task under every condition, one after the other. */
export async function measureLive(
  model: LanguageModel,
  tasks: readonly Task[] = liveTasks(),
): Promise<Outcome> {
  const all: Sat[] = [];
  for (const condition of conditions) {
    for (const task of tasks) {
      const window = windowOf(task, condition, PREPARED_FOR);
      all.push({ task, condition, played: await play(model, task, window) });
    }
  }
  const under = (condition: Condition): Sat[] => all.filter((sat) => sat.condition === condition);
  const handled = under("with handles");
  return {
    findings: [
      {
        title: `${tasks.length} tasks with ${model.name}`,
        rows: conditions.map((name) => row(name, under(name))),
      },
      {
        title: "With handles, by how it left the window",
        rows: ways.map((way) =>
          row(
            way,
            handled.filter(({ task }) => task.way === way),
          ),
        ),
      },
    ],
  };
}

/** The model of the user's settings, or Anthropic's where only the key is there. */
export function liveModel(
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): LanguageModel | undefined {
  const home = resolveHome();
  const { values } = loadConfig({ home, cwd: "/", env, flags: {} });
  const given = option(args, "model");
  const usual =
    values.llm.provider === "none" && env.ANTHROPIC_API_KEY
      ? { provider: "anthropic" as const, model: USUAL_MODEL }
      : {};
  const llm = { ...values.llm, ...usual, ...(given ? { model: given } : {}) };
  return languageModel({ ...values, llm }, { home, env });
}

export const bench: Bench = {
  name: "live",
  measures: ["src/pipeline", "src/preview", "src/vault"],
  about: "Whether a real model uses handles: tasks that need what has left the window.",
  usage: "[--model=NAME] [--record]",
  async run(args) {
    const model = liveModel(args);
    if (!model) throw new NotRun(WITHOUT_KEY);
    if (model.dialect === "text")
      throw new NotRun(`${model.name} takes words alone, and using a handle is a call of a tool`);
    return measureLive(model);
  },
};
