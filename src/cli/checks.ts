// The checks of `doctor` and `status` that need more than files of Claude Code: configuration, database, losses, provider.
import { existsSync } from "node:fs";
import type { Config, LoadedConfig } from "../config/index.ts";
import { currentExclusion, databaseFile, failedStart, type Home } from "../home/index.ts";
import type { Complaint, Facts, makeChecks, WorkerReply } from "../install/index.ts";
import { lossReport } from "../intake/index.ts";
import { ownVersion, SECOND, ThroughlineError } from "../lib/index.ts";
import { probeProvider } from "../models/index.ts";
import { openStore, type Store } from "../store/index.ts";
import { currentConfig, ownConfig, type Surroundings } from "./surroundings.ts";

type Checks = ReturnType<typeof makeChecks>;

/** The settings in effect here, or what is wrong with them; then those of the user alone, where these can be read. */
export function settingsHere(): Pick<LoadedConfig, "project"> & {
  readonly values?: Config;
  readonly problem?: Complaint;
} {
  try {
    return currentConfig();
  } catch (error) {
    if (!(error instanceof ThroughlineError)) throw error;
    const fix = error.fix ?? "put that line right";
    return { ...ownSettings(), problem: { what: error.message, fix } };
  }
}

function ownSettings(): { readonly values?: Config } {
  try {
    return { values: ownConfig().values };
  } catch (error) {
    if (error instanceof ThroughlineError) return {};
    throw error;
  }
}

interface Looked {
  readonly problem?: Facts["database"]["problem"];
  readonly jobs?: Facts["jobs"];
}

async function lookInto(store: Store): Promise<Looked> {
  const { dead } = await store.queueStats(Date.now());
  const lastError = (await store.deadJobs({ limit: 1 }))[0]?.lastError;
  const jobs = { dead, ...(lastError === undefined ? {} : { lastError }) };
  return (await store.integrityCheck()).ok ? { jobs } : { jobs, problem: "damaged" };
}

const named = { "database-newer": "newer", "database-damaged": "damaged", "database-busy": "busy" } as const;

/** Reads the database through. What keeps it from being opened is a fact about it; anything else throws. */
export async function lookIntoDatabase(home: Home, worker: WorkerReply): Promise<Looked> {
  const file = databaseFile(home);
  // Opening brings an older layout up to date, which would pull the ground away from a worker that knows only that one.
  if (!existsSync(file) || (typeof worker === "object" && worker.version !== ownVersion)) return {};
  try {
    const store = await openStore({ file, mustExist: true });
    try {
      return await lookInto(store);
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof ThroughlineError)) throw error;
    const { code, message, fix = "`throughline data check` tells more" } = error;
    const known = Object.entries(named).find(([name]) => name === code)?.[1];
    return { problem: known ?? { what: message, fix } };
  }
}

const PROVIDER_WITHIN_MS = 5 * SECOND;

/** What of the project's file does not count. */
function projectFacts(project: LoadedConfig["project"]): Facts["project"] {
  const keys = (why: string): string[] => [
    ...new Set((project?.ignored ?? []).filter((one) => one.why === why).map(({ key }) => key)),
  ];
  const [untrusted, notProject] = [keys("untrusted"), keys("not-project")];
  if (project === undefined || untrusted.length + notProject.length + project.problems.length === 0)
    return undefined;
  const { file, trust, problems } = project;
  return { file, trust, untrusted, notProject, problems };
}

type OwnFacts = Pick<Facts, "project" | "config" | "excludedFolder" | "losses" | "provider" | "startFailure">;

/** What is known beside the installation itself; the provider is asked only when `deep`. */
export async function ownFacts(
  { home, cwd, env }: Surroundings,
  { problem, project: found }: ReturnType<typeof settingsHere>,
  { attempt, attemptLater }: Checks,
  deep: boolean,
): Promise<OwnFacts> {
  const excluded = attempt("the excluded folders", () => currentExclusion(home, env)(cwd), false);
  const project = projectFacts(found);
  const losses = attempt("the events that were lost", () => lossReport(home), undefined);
  const start = attempt("the last start of the worker", () => failedStart(home), undefined);
  // Only the user's own settings: a file in a repository must not decide which server is asked, nor with which key.
  const ask = async () => probeProvider(ownConfig().values.llm, env, PROVIDER_WITHIN_MS);
  const provider =
    deep && problem === undefined ? await attemptLater("the model provider", ask, undefined) : undefined;
  return {
    ...(project === undefined ? {} : { project }),
    ...(problem === undefined ? {} : { config: problem }),
    ...(excluded ? { excludedFolder: cwd } : {}),
    ...(losses === undefined ? {} : { losses }),
    ...(provider === undefined ? {} : { provider }),
    ...(start === undefined ? {} : { startFailure: { ...start, problem: start.problem ?? "" } }),
  };
}
