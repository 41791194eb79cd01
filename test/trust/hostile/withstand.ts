// Clones repositories that attack, lives in each of them with one worker, and tests what the model was told and what was changed.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import setup from "../../../src/cli/commands/install.ts";
import { loadConfig } from "../../../src/config/index.ts";
import { resolveHome, runtimeFile } from "../../../src/home/index.ts";
import { cliFile } from "../../commandLine.ts";
import { builtWorker } from "../../worker/bundle.ts";
import { until, type WorkerHome, workerHome } from "../../worker/workers.ts";
import { importFolder } from "./imports.ts";
import { problemsWith } from "./injected.ts";
import { firstSession, newLife, nextSession, settled, startAlone } from "./life.ts";
import { type Attack, makeSite } from "./site.ts";

/** The person's own choices, which nothing in a repository may change. */
const settings = { locale: "en", inject: { prompts: true } };

const readOr = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");

interface Elsewhere {
  readonly runtime: unknown;
  readonly config: string;
  readonly values: unknown;
  readonly claude: string;
}

/** Everything that holds outside of the repositories. */
function elsewhere(home: string, neutral: string): Elsewhere {
  const state = resolveHome({
    env: { THROUGHLINE_HOME: home },
    platform: process.platform,
    homeFolder: home,
  });
  const { worker: _, ...runtime } = JSON.parse(readOr(runtimeFile(state)) || "{}") as Record<string, unknown>;
  return {
    runtime,
    config: readOr(path.join(home, "config", "config.json")),
    values: loadConfig({ home: state, cwd: neutral, env: {} }).values,
    claude: readOr(path.join(home, ".claude", "settings.json")),
  };
}

type Life = ReturnType<typeof newLife>;

interface Stage {
  readonly house: WorkerHome;
  readonly lives: Map<Attack, Life>;
  /** What an installation in a repository, by a person who runs no worker, left elsewhere. */
  readonly installed: Map<Attack, Elsewhere>;
  /** The same in no repository. */
  calm?: Elsewhere;
  before?: Elsewhere;
  after?: Elsewhere;
}

const neutralOf = (house: WorkerHome): string => path.join(house.folder, "neutral");

const environmentOf = (house: WorkerHome, home: string): NodeJS.ProcessEnv => ({
  ...house.env(),
  HOME: home,
  THROUGHLINE_HOME: home,
  CLAUDE_CONFIG_DIR: path.join(home, ".claude"),
});

function writeSettings(home: string): void {
  mkdirSync(path.join(home, "config"), { recursive: true });
  writeFileSync(path.join(home, "config", "config.json"), JSON.stringify(settings));
}

/** In a home of its own, where no worker puts anything right. */
async function installEverywhere(stage: Stage, attacks: readonly Attack[]): Promise<void> {
  const { house, lives, installed } = stage;
  const home = path.join(house.folder, "other");
  writeSettings(home);
  for (const [name, value] of Object.entries(environmentOf(house, home))) vi.stubEnv(name, value);
  const cwd = vi.spyOn(process, "cwd");
  const installIn = async (folder: string): Promise<Elsewhere> => {
    cwd.mockReturnValue(folder);
    await setup.install.run(["--yes"], "throughline");
    return elsewhere(home, neutralOf(house));
  };
  try {
    stage.calm = await installIn(neutralOf(house));
    for (const attack of attacks)
      installed.set(attack, await installIn(lives.get(attack)?.site.folder ?? ""));
  } finally {
    cwd.mockRestore();
    vi.unstubAllEnvs();
  }
}

/** A few at a time: each waits for the worker most of the time. */
async function forAll({ lives }: Stage, work: (life: Life) => Promise<void>): Promise<void> {
  const waiting = [...lives.values()];
  const next = async (): Promise<void> => {
    for (let life = waiting.shift(); life; life = waiting.shift()) await work(life);
  };
  await Promise.all(Array.from({ length: 6 }, next));
}

async function startHouse(stage: Stage): Promise<void> {
  const { house } = stage;
  const [neutral, env] = [neutralOf(house), environmentOf(house, house.folder)];
  mkdirSync(neutral);
  writeSettings(house.folder);
  spawnSync(process.execPath, [cliFile, "install", "--yes"], { cwd: neutral, env });
  await house.run(builtWorker, { HOME: house.folder });
  await until(
    () => (readOr(runtimeFile(house.home)).includes('"snapshot"') ? true : undefined),
    "the worker's rules",
  );
  stage.before = elsewhere(house.folder, neutral);
}

interface Trial {
  readonly attacks: readonly Attack[];
  /** Those in whose repositories the hook's own program answers, without a worker. */
  readonly alone?: readonly Attack[];
  /** Those in whose repositories Throughline is installed. */
  readonly installs?: readonly Attack[];
  /** Whether a prompt has to be answered in at least one life: on a busy machine answers miss their deadline. */
  readonly isPromptAnswered?: boolean;
}

async function play(stage: Stage, { attacks, alone = [], installs = [] }: Trial): Promise<void> {
  const { house, lives } = stage;
  await startHouse(stage);
  const folder = path.join(house.folder, "clones");
  for (const [at, attack] of attacks.entries()) {
    const site = makeSite(path.join(folder, `repo${at}`), `pwned${at}x`);
    lives.set(attack, newLife(site, attack.plant(site)));
  }
  await forAll(stage, (life) => firstSession(house, life));
  await importFolder(house, folder);
  await settled(house);
  await forAll(stage, (life) => nextSession(house, life));
  for (const attack of alone) {
    const life = lives.get(attack);
    if (life) startAlone(life, path.join(house.folder, "alone"));
  }
  await installEverywhere(stage, installs);
  stage.after = elsewhere(house.folder, neutralOf(house));
}

/** Declares the tests that hold for each of the attacks, and those that hold after all of them. */
export function withstand(trial: Trial): void {
  const stage: Stage = { house: workerHome("file"), lives: new Map(), installed: new Map() };
  beforeAll(() => play(stage, trial), 300_000);
  describe.each(trial.attacks.map((attack) => [attack.name, attack] as const))("%s", (_name, attack) =>
    eachHolds(stage, attack),
  );
  describe("after all of them", () => allHold(stage, trial));
}

function eachHolds(stage: Stage, attack: Attack): void {
  const lifeOf = (): Life => stage.lives.get(attack) ?? expect.fail("it was not planted");

  it("reaches the model as a quotation or not at all", () => {
    const { told, shown, site } = lifeOf();
    expect(told.flatMap((one) => problemsWith(one, site.mark))).toEqual([]);
    const index = told.filter(({ where }) => attack.isOrder && where.startsWith("SessionStart"));
    const rows = index.flatMap(({ text }) => text.split("\n").filter((line) => /^(?:\||- )/.test(line)));
    expect(rows.filter((row) => row.includes(site.mark))).toEqual([]);
    expect(shown.filter((line) => /[^\P{Cc}\n]/u.test(line))).toEqual([]);
  });

  it("runs nothing, and changes nothing outside", () => {
    const { site } = lifeOf();
    expect(existsSync(site.canary)).toBe(false);
    expect(attack.also?.(site) ?? []).toEqual([]);
    expect(stage.installed.get(attack) ?? stage.calm).toEqual(stage.calm);
  });
}

function allHold(stage: Stage, { isPromptAnswered = false }: Trial): void {
  const { house } = stage;

  it("every reading tool answered, and an order was not saved as a memory", () => {
    const failures = [...stage.lives].flatMap(([{ name }, { told }]) =>
      told
        .filter(({ where, text }) => where.endsWith("failed") && !/waits in quarantine/.test(text))
        .map(({ where, text }) => `${name}: ${where}: ${text}`),
    );
    expect(failures).toEqual([]);
    const saved = [...stage.lives.values()].flatMap(({ told }) =>
      told.filter(({ where }) => where === "save_memory"),
    );
    expect(saved).toEqual([]);
  });

  it("settings elsewhere are what they were", () => {
    expect(stage.after).toEqual(stage.before);
  });

  it("the model was told something by every way there is", () => {
    const ways = new Set([...stage.lives.values()].flatMap(({ told }) => told.map(({ where }) => where)));
    for (const way of ["SessionStart startup", "SessionStart compact"]) expect([...ways]).toContain(way);
    if (isPromptAnswered) expect([...ways]).toContain("UserPromptSubmit");
    // What matters is told once, after a compaction.
    expect([...ways]).not.toContain("PreCompact");
    for (const tool of ["search", "timeline", "get_observations", "recall"])
      expect([...ways]).toContain(tool);
  });

  it("other projects are captured as before", async () => {
    const neutral = neutralOf(house);
    house.spoolEvent({
      hook_event_name: "UserPromptSubmit",
      session_id: "calm",
      cwd: neutral,
      prompt: "a calm prompt",
    });
    await settled(house);
    expect(await house.withStore((store) => store.session("calm"))).toMatchObject({
      claudeSessionId: "calm",
    });
  });
}
