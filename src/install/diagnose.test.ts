// What is said of an installation: one finding for each thing that can be wrong, and each with a way out.
import { describe, expect, it } from "vitest";
import { diagnose } from "./diagnose.ts";
import type { Facts, SettingsFacts } from "./facts.ts";
import { type FindingId, findingKinds } from "./findings.ts";
import { hookTable } from "./hookTable.ts";

const entry = { node: "/bin/node", nodeThere: true, bundle: "/p/dist/hooks/capture.cjs", bundleThere: true };

const installed: SettingsFacts = {
  scope: "user",
  file: "/u/.claude/settings.json",
  unread: false,
  disablesHooks: false,
  entries: hookTable.map(({ event }) => ({ ...entry, event })),
  missing: [],
  plugin: false,
};

const bare: SettingsFacts = {
  ...installed,
  scope: "local",
  file: "/w/.claude/settings.local.json",
  entries: [],
};
const withPlugin: SettingsFacts = { ...bare, plugin: true };
const state = { pid: 7, version: "1.0.0", socket: "/s", port: 37_777, startedAt: "2026-01-01T00:00:00.000Z" };

const healthy: Facts = {
  failedChecks: [],
  version: "1.0.0",
  home: { config: "/h/config", data: "/h/data", state: "/h/state" },
  settings: [installed, bare],
  receipt: "readable",
  runtime: {
    version: "1.0.0",
    paused: false,
    excluded: [],
    worker: { node: "/bin/node", script: "/p/w.js" },
  },
  workerProgramThere: true,
  worker: { version: "1.0.0", pid: 7 },
  socket: "/h/state/worker.sock",
  socketLeft: true,
  workerState: state,
  wantedPort: 37_777,
  paused: false,
  spool: { writable: true, waiting: 0, oldestMinutes: 0, bad: 0 },
  freeBytes: 10 ** 12,
  database: { file: "/h/data/throughline.db", bytes: 4096 },
  open: [],
  troubles: { count: 0 },
};

const waiting = { ...healthy.spool, waiting: 3 };
const { workerState: _none, ...unstarted } = healthy;
const plugin = { version: "1.0.0", folder: "/plugins/t", complete: true };

const projectFile = {
  file: "/w/.throughline/config.jsonc",
  trust: "untrusted",
  untrusted: [],
  notProject: [],
  problems: [],
};

/** For every finding, facts that lead to it. */
const cases: Readonly<Record<FindingId, Facts>> = {
  "check-failed": { ...healthy, failedChecks: [{ check: "the spool", problem: "EIO" }] },
  "config-invalid": { ...healthy, config: { what: "config.json:3: no", fix: "edit it" } },
  "worker-dies": {
    ...healthy,
    worker: "absent",
    startFailure: { at: "2026-01-01T00:00:00.000Z", problem: "the disk is full" },
  },
  "folder-excluded": { ...healthy, excludedFolder: "/w" },
  "database-refused": {
    ...healthy,
    database: {
      ...healthy.database,
      problem: { what: "SQLite 1: table x already exists", fix: "report it" },
    },
  },
  "events-lost": { ...healthy, losses: { lost: 18, refilled: 0, pending: 18 } },
  "jobs-given-up": { ...healthy, jobs: { dead: 2, lastError: "no" } },
  "provider-silent": { ...healthy, provider: { what: "no answer", fix: "start it" } },
  "settings-invalid": { ...healthy, settings: [installed, { ...bare, problem: { line: 3, what: "no" } }] },
  "settings-unread": { ...healthy, settings: [{ ...installed, unread: true }] },
  "not-installed": { ...healthy, settings: [bare] },
  "hooks-disabled": { ...healthy, settings: [installed, { ...bare, disablesHooks: true }] },
  "hooks-barred": { ...healthy, barredBy: "/etc/claude-code/managed-settings.json" },
  "node-gone": {
    ...healthy,
    settings: [{ ...installed, entries: installed.entries.map((one) => ({ ...one, nodeThere: false })) }],
  },
  "bundle-gone": {
    ...healthy,
    settings: [{ ...installed, entries: installed.entries.map((one) => ({ ...one, bundleThere: false })) }],
  },
  "events-missing": { ...healthy, settings: [{ ...installed, missing: ["Stop"] }] },
  "installed-twice": { ...healthy, settings: [{ ...installed, scope: "local" }, withPlugin], plugin },
  "plugin-incomplete": { ...healthy, settings: [withPlugin], plugin: { ...plugin, complete: false } },
  "plugin-skew": { ...healthy, settings: [withPlugin], plugin: { ...plugin, version: "0.9.0" } },
  "home-differs": { ...healthy, homeVariable: "/elsewhere" },
  "receipt-unreadable": { ...healthy, receipt: "unreadable" },
  "runtime-missing": { ...healthy, runtime: "none" },
  "worker-program-gone": { ...healthy, workerProgramThere: false },
  "runtime-skew": {
    ...healthy,
    runtime: { ...(healthy.runtime as object), version: "2.0.0" } as Facts["runtime"],
  },
  "worker-skew": { ...healthy, worker: { version: "0.9.0", pid: 7 } },
  "worker-foreign": { ...healthy, worker: "foreign" },
  "worker-stale": { ...healthy, worker: "absent" },
  "worker-absent": { ...unstarted, worker: "absent", socketLeft: false, spool: waiting },
  "port-taken": { ...healthy, workerState: { ...state, port: 37_778 } },
  paused: { ...healthy, paused: true },
  "spool-unwritable": { ...healthy, spool: { ...healthy.spool, writable: false } },
  "spool-backlog": { ...healthy, spool: { ...waiting, oldestMinutes: 40 } },
  "spool-bad": { ...healthy, spool: { ...healthy.spool, bad: 2 } },
  "disk-full": { ...healthy, freeBytes: 1_000_000 },
  "database-damaged": { ...healthy, database: { ...healthy.database, problem: "damaged" } },
  "database-recovered": {
    ...healthy,
    damaged: { folder: "/h/data/damaged/x", at: "2026-11-16T09:00:00.000Z", isDone: true, missing: 3 },
  },
  "database-newer": { ...healthy, database: { ...healthy.database, problem: "newer" } },
  "mod-missing": { ...healthy, mod: { lane: "mods" } },
  "mod-trouble": {
    ...healthy,
    mod: {
      lane: "auto",
      folder: "/p/plugin/mods",
      there: true,
      trouble: "2026-01-01T00:00:00.000Z no worker",
    },
  },
  "files-open": { ...healthy, open: ["/h/data"] },
  "project-untrusted": {
    ...healthy,
    project: { ...projectFile, untrusted: ["policy"] },
  },
  "project-ignored": {
    ...healthy,
    project: { ...projectFile, notProject: ["lane"], problems: ["line 3: unknown setting x"] },
  },
  "hook-troubles": {
    ...healthy,
    troubles: { count: 2, last: "2026-01-01T00:00:00.000Z 1.0.0 capture: ENOSPC" },
  },
};

describe("diagnose", () => {
  it("has nothing to say of a healthy installation, with a plugin in place of entries too", () => {
    expect(diagnose(healthy)).toEqual([]);
    expect(diagnose({ ...healthy, settings: [withPlugin], plugin })).toEqual([]);
    expect(diagnose({ ...healthy, settings: [withPlugin], plugin, runtime: "none" })).toEqual([]);
    expect(diagnose({ ...healthy, settings: [{ ...installed, plugin: true }], plugin })).toEqual([]);
    expect(diagnose({ ...unstarted, worker: "absent", socketLeft: false })).toEqual([]);
    expect(diagnose({ ...healthy, mod: { lane: "hooks", trouble: "of another day" } })).toEqual([]);
  });

  it.each(Object.entries(cases))("finds %s, alone, in one line, and says what to do", (id, facts) => {
    const findings = diagnose(facts);
    expect(findings.map((finding) => finding.id)).toEqual([id]);
    const [finding] = findings;
    expect(finding?.what).toMatch(/^[^\n]{8,}$/);
    expect(finding?.fix).toMatch(/^[^\n]{6,}$/);
    expect(finding?.severity).toBe(findingKinds[id as FindingId].severity);
  });

  it("names the file, the scope and the command", () => {
    expect(diagnose(cases["node-gone"])).toEqual([
      {
        id: "node-gone",
        severity: "problem",
        what: "/u/.claude/settings.json runs /bin/node, which does not exist",
        fix: "throughline install --scope user --yes",
        repair: { do: "install", scope: "user" },
      },
    ]);
  });

  it("sends to the folder of a project elsewhere", () => {
    const file = "/home/me/app/.claude/settings.local.json";
    const [finding] = diagnose({
      ...healthy,
      settings: [{ ...installed, scope: "local", file, missing: ["Stop"] }],
    });
    expect(finding).toMatchObject({
      fix: "cd /home/me/app && throughline install --scope local --yes",
      repair: { do: "install", scope: "local", project: "/home/me/app" },
    });
  });

  it("does not miss the mod where nothing at all is installed", () => {
    const found = diagnose({ ...healthy, settings: [bare], mod: { lane: "auto" } });
    expect(found.map(({ id }) => id)).toEqual(["not-installed"]);
  });

  it("puts problems before warnings", () => {
    const severities = diagnose({ ...cases["disk-full"], paused: true }).map(({ severity }) => severity);
    expect(severities).toEqual(["problem", "warning"]);
  });

  it("takes the same home on both sides for none of its business", () => {
    const settings = [{ ...installed, givesHome: "/elsewhere" }];
    expect(diagnose({ ...healthy, homeVariable: "/elsewhere", settings })).toEqual([]);
    expect(diagnose({ ...healthy, settings })[0]?.fix).toBe("export THROUGHLINE_HOME=/elsewhere");
  });
});
