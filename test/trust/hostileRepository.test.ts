// A cloned repository tries to speak to the model as Throughline, to change settings elsewhere, and to have its programs run.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/index.ts";
import { resolveHome, runtimeFile } from "../../src/home/index.ts";
import { cliFile } from "../commandLine.ts";
import { builtWorker } from "../worker/bundle.ts";
import { until, workerHome } from "../worker/workers.ts";
import { fileAttacks } from "./hostile/files.ts";
import { importAttacks, importFolder } from "./hostile/imports.ts";
import { firstSession, newLife, nextSession, settled, startAlone } from "./hostile/life.ts";
import { configAttacks, settingAttacks } from "./hostile/settings.ts";
import { type Attack, makeSite } from "./hostile/site.ts";
import { problemsWith } from "./hostile/told.ts";
import { wordAttacks } from "./hostile/words.ts";

const attacks: readonly Attack[] = [...fileAttacks, ...settingAttacks, ...wordAttacks, ...importAttacks];
const house = workerHome("file");

/** The person's own choices, which nothing in a repository may change. */
const settings = { locale: "en", inject: { prompts: true } };

/** Runs a command for a person whose home is below the house; in a home of its own no worker puts anything right. */
function throughline(cwd: string, home: string, ...args: string[]): string {
  const env = {
    ...house.env(),
    HOME: home,
    THROUGHLINE_HOME: home,
    CLAUDE_CONFIG_DIR: path.join(home, ".claude"),
  };
  return spawnSync(process.execPath, [cliFile, ...args], { cwd, env, encoding: "utf8" }).stdout;
}

interface Elsewhere {
  readonly runtime: unknown;
  readonly config: string;
  readonly values: unknown;
  readonly claude: string;
}

const readOr = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");

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

/** What an installation in a repository, by a person who runs no worker, left elsewhere. */
const installed = new Map<Attack, Elsewhere>();
let calm: Elsewhere | undefined;

function installEverywhere(neutral: string): void {
  const home = path.join(house.folder, "other");
  mkdirSync(path.join(home, "config"), { recursive: true });
  writeFileSync(path.join(home, "config", "config.json"), JSON.stringify(settings));
  throughline(neutral, home, "install", "--yes");
  calm = elsewhere(home, neutral);
  for (const attack of configAttacks) {
    throughline(lives.get(attack)?.site.folder ?? "", home, "install", "--yes");
    installed.set(attack, elsewhere(home, neutral));
  }
}

type Life = ReturnType<typeof newLife>;
const lives = new Map<Attack, Life>();
let [before, after]: (Elsewhere | undefined)[] = [];

/** A few at a time: each waits for the worker most of the time. */
async function forAll(work: (life: Life) => Promise<void>): Promise<void> {
  const waiting = [...lives.values()];
  const next = async (): Promise<void> => {
    for (let life = waiting.shift(); life; life = waiting.shift()) await work(life);
  };
  await Promise.all(Array.from({ length: 6 }, next));
}

beforeAll(async () => {
  const folder = path.join(house.folder, "clones");
  const neutral = path.join(house.folder, "neutral");
  mkdirSync(neutral);
  mkdirSync(path.join(house.folder, "config"));
  writeFileSync(path.join(house.folder, "config", "config.json"), JSON.stringify(settings));
  throughline(neutral, house.folder, "install", "--yes");
  await house.run(builtWorker, { HOME: house.folder });
  await until(
    () => (readOr(runtimeFile(house.home)).includes('"snapshot"') ? true : undefined),
    "the worker's rules",
  );
  before = elsewhere(house.folder, neutral);
  for (const [at, attack] of attacks.entries()) {
    const site = makeSite(path.join(folder, `repo${at}`), `pwned${at}x`);
    lives.set(attack, newLife(site, attack.plant(site)));
  }
  await forAll((life) => firstSession(house, life));
  await importFolder(house, folder);
  await settled(house);
  await forAll((life) => nextSession(house, life));
  for (const attack of fileAttacks) {
    const life = lives.get(attack);
    if (life) startAlone(life, path.join(house.folder, "alone"));
  }
  installEverywhere(neutral);
  after = elsewhere(house.folder, neutral);
}, 300_000);

describe.each(attacks.map((attack) => [attack.name, attack] as const))("%s", (_name, attack) => {
  const lifeOf = (): Life => lives.get(attack) ?? expect.fail("it was not planted");

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
    expect(installed.get(attack) ?? calm).toEqual(calm);
  });
});

describe("after all of them", () => {
  it("there were at least forty", () => {
    expect(attacks.length).toBeGreaterThanOrEqual(40);
    expect(new Set(attacks.map(({ name }) => name)).size).toBe(attacks.length);
  });

  it("every reading tool answered, and an order was not saved as a memory", () => {
    const failures = [...lives].flatMap(([{ name }, { told }]) =>
      told
        .filter(({ where, text }) => where.endsWith("failed") && !/waits in quarantine/.test(text))
        .map(({ where, text }) => `${name}: ${where}: ${text}`),
    );
    expect(failures).toEqual([]);
    const saved = [...lives.values()].flatMap(({ told }) =>
      told.filter(({ where }) => where === "save_memory"),
    );
    expect(saved).toEqual([]);
  });

  it("settings elsewhere are what they were", () => {
    expect(after).toEqual(before);
  });

  it("the model was told something by every way there is", () => {
    const ways = new Set([...lives.values()].flatMap(({ told }) => told.map(({ where }) => where)));
    for (const way of ["SessionStart startup", "SessionStart compact", "PreCompact", "UserPromptSubmit"])
      expect([...ways]).toContain(way);
    for (const tool of ["search", "timeline", "get_observations", "recall"])
      expect([...ways]).toContain(tool);
  });

  it("other projects are captured as before", async () => {
    const neutral = path.join(house.folder, "neutral");
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
});
