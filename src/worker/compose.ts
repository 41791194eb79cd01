// The composition root: makes every part of a worker with what it needs, starts the jobs, and gives what can be asked of it.
import type { Socket } from "node:net";
import { homedir } from "node:os";
import path from "node:path";
import { agents } from "../agents/index.ts";
import { makeGateway } from "../gateway/index.ts";
import {
  claudeFolders,
  type Home,
  type IsExcluded,
  isPaused,
  languageOf,
  spoolFolder,
  vaultFolder,
} from "../home/index.ts";
import {
  makeChangeNotifier,
  makeMemoryHandlers,
  openHttpServer,
  settingsAccess,
  signInCodeFrom,
} from "../http/index.ts";
import { makeImporter } from "../importer/index.ts";
import {
  inspectInOtherThread,
  makeAccountant,
  makeReplays,
  makeUsageBook,
  makeWindowHandlers,
  tracesOf,
} from "../inspector/index.ts";
import {
  beginning,
  keepMessages,
  lossReport,
  makeLifecycle,
  openMarks,
  startIntake,
} from "../intake/index.ts";
import { systemClock as clock, errorText, isoTime, type JsonObject, SECOND } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import { makeModsHandlers } from "../mods/index.ts";
import { damageNotice, type MakeRecovery } from "../recovery/index.ts";
import { redactText, redactValue, timeLimit } from "../redact/index.ts";
import { projectNotices, readableSettings, snapshotSettings } from "../settings/index.ts";
import { projectStateReaders } from "../snapshot/index.ts";
import { spoolBacklog } from "../spool/index.ts";
import type { Store } from "../store/index.ts";
import {
  answerTurns,
  correct,
  type Finder,
  makeFinder,
  memoryFolderFor,
  memorySources,
  readTurnsRequest,
  remember,
} from "../tools/index.ts";
import { injectSettings, makeAnswers } from "./answers.ts";
import type { BackgroundJob } from "./backgroundJob.ts";
import { forgettingOf } from "./forgetting.ts";
import { makeJobQueue } from "./jobQueue.ts";
import { listDeadJobs, MAX_ATTEMPTS } from "./jobRetry.ts";
import { makeArchiver } from "./jobs/archive.ts";
import { makeBackups } from "./jobs/backup.ts";
import { makeBlockExpiry } from "./jobs/blockExpiry.ts";
import { makeEmbedding, openEmbedder } from "./jobs/embed.ts";
import { makeNotesJob, notesParts, notesSettings } from "./jobs/notes.ts";
import { observingHandlers } from "./jobs/observe.ts";
import { refiningHandlers } from "./jobs/refine.ts";
import { makeRemote } from "./jobs/remote.ts";
import { makeSnapshots } from "./jobs/snapshot.ts";
import { makeVaultSweep } from "./jobs/vaultSweep.ts";
import { makeImportedWording } from "./jobs/wordImported.ts";
import { makeLive } from "./live.ts";
import { makeMemoryText } from "./memoryText.ts";
import { makeWordingModel } from "./wordingModel.ts";

interface WorkerParts {
  readonly home: Home;
  readonly version: string;
  readonly port: number;
  /** The worker's own program; the programs of its child processes lie beside it. */
  readonly script: string;
  readonly store: Store;
  readonly recovery: MakeRecovery;
  readonly isExcluded: IsExcluded;
  readonly onSettingsChange: () => void;
  readonly log: Logger;
}

export type RunningWorker = Awaited<ReturnType<typeof composeWorker>>;

const { env } = process;
const LEASE_HOLDER = `${process.pid}-${clock.now()}`;
/** Of processor time, for one event or message: some 25 MB of text in which every line holds a secret. */
const REDACTION_MS = 5 * SECOND;
const redact = (payload: JsonObject) => redactValue(payload, timeLimit(REDACTION_MS)).value;
const redactString = (text: string) => redactText(text).text;

/** Jobs that ask a model have a queue of their own: the others do not wait for them. */
function makeQueues({ home, store, log }: WorkerParts) {
  // Read anew for each job: settings change while a worker runs.
  const settings = () => readableSettings({ home, env });
  const wording = makeWordingModel({ home, env, settings });
  const model = wording.current;
  const language = () => languageOf(settings()?.locale ?? "auto", env);
  const redactAll = <T>(value: T) => redactValue(value).value;
  const common = { store, language, now: clock.now, redact: redactAll };
  const observing = observingHandlers({ ...common, hasModel: () => model() !== undefined });
  const imported = makeImportedWording({
    ...{ ...common, model, redactText: redactString, clock, log, worker: LEASE_HOLDER },
  });
  const refining = refiningHandlers({ store, model, redact: redactString, language, clock, log });
  const queues = [observing, refining].map((handlers) =>
    makeJobQueue({ store, handlers, worker: LEASE_HOLDER, clock, log }),
  );
  return { queues, wording, imported };
}

/** What answers hooks, with the jobs behind it. */
function makeHookAnswers({ home, store, isExcluded, log }: WorkerParts) {
  const common = { home, env, store, isExcluded, clock, log };
  const settingsFor = snapshotSettings(home, env);
  const expiry = makeBlockExpiry({ ...common, settingsFor });
  const snapshots = makeSnapshots({
    ...{ ...common, settingsFor, vaultFolder: vaultFolder(home), readers: projectStateReaders },
    onSaved: expiry.watch,
    redact: redactString,
  });
  snapshots.storeLeftSnapshots();
  const memoriesFrom = memorySources({ home, env, store });
  const answers = makeAnswers({
    ...{ ...common, snapshots, memoriesFrom, settingsFor: injectSettings(home, env) },
    memories: makeMemoryText(common),
    notice: damageNotice({ home, clock, log }),
    noticeFor: projectNotices(home, env),
  });
  return { expiry, snapshots, memoriesFrom, answers };
}

/** The inspector, the backups, the sweep of the vault and the embedder, each with the process that it has beside the worker. */
function makeSideJobs({ home, store, script, log }: WorkerParts) {
  const extension = path.extname(script);
  const beside = (name: string) => path.join(path.dirname(path.resolve(script)), name);
  const inspector = inspectInOtherThread(beside(`inspector${extension}`));
  const traces = (session: string) => tracesOf({ home, env, store }, session);
  const replays = makeReplays({ home, env, store, log, thread: beside(`replayThread${extension}`) });
  return {
    viewerFolder: beside("viewer"),
    replays,
    windows: makeWindowHandlers({ home, env, store, inspector, replay: replays.state }),
    accountant: makeAccountant({
      ...{ store, clock, log },
      compute: async (session) => inspector.account(await traces(session)),
    }),
    usage: makeUsageBook({
      ...{ store, clock, log },
      trace: async (session) => inspector.trace(await traces(session)),
    }),
    backups: makeBackups({
      ...{ home, clock, log, script: beside(`backup${extension}`) },
      settings: () => readableSettings({ home, env })?.store,
    }),
    vaultSweep: makeVaultSweep({
      ...{ home, log, script: beside(`backup${extension}`) },
      settings: () => readableSettings({ home, env })?.vault,
    }),
    embedding: makeEmbedding({
      ...{ store, log, open: openEmbedder(env, redactString) },
      settings: () => readableSettings({ home, env })?.search,
    }),
  };
}

/** Where agents beside Claude Code keep their sessions. */
const otherSessionFolders = () =>
  agents.flatMap((agent) => agent.sessionFolders({ env, homeFolder: env.HOME || homedir() }));

/** What brings events into the store, and everything that works on them. */
function makeJobs(parts: WorkerParts) {
  const { home, store, isExcluded, log } = parts;
  const common = { home, env, store, redact, isExcluded, clock, log };
  const side = makeSideJobs(parts);
  const hooks = makeHookAnswers(parts);
  const marks = openMarks(home, clock.now());
  const archiver = makeArchiver({ home, isExcluded, log, marks });
  const notes = makeNotesJob({
    ...notesParts({ home, isExcluded }, marks),
    settingsFor: notesSettings(home, env),
    since: (session) => beginning(store, session),
    log,
  });
  const notifier = makeChangeNotifier();
  const { queues, wording, imported } = makeQueues(parts);
  const remote = makeRemote({
    ...{ home, env, store, clock, log, onReceived: notifier.notify },
    url: () => readableSettings({ home, env })?.remote,
  });
  const onStored = () => {
    notifier.notify();
    for (const queue of queues) queue.note();
    remote.note();
  };
  const listeners = [hooks.snapshots, archiver, side.accountant].map((job) => job.onLifecycleEvent);
  const intake = startIntake({
    ...{ ...common, marks, lifecycle: makeLifecycle(listeners, log) },
    ...{ agentFolders: claudeFolders(env), sessionFolders: otherSessionFolders() },
    onAdded: (events) => {
      onStored();
      notes.note(events);
      hooks.answers.note(events);
    },
  });
  const importer = makeImporter({
    ...{ ...common, drain: intake.drain, archive: archiver.archive },
    onKept: () => {
      intake.stir();
      onStored();
    },
  });
  const recovery = parts.recovery({ rebuild: intake.rebuild });
  const { accountant, backups, embedding, vaultSweep } = side;
  const { expiry, answers } = hooks;
  /** In the order in which they stop: what writes into the store before what reads from it. */
  const jobs: readonly BackgroundJob[] = [
    ...[side.replays, remote, recovery, backups, vaultSweep, expiry, embedding, importer, ...queues],
    ...[imported, wording, intake, notes, accountant, archiver, answers],
  ];
  return {
    ...{ ...side, ...hooks, jobs, marks, notes, notifier, queues, onStored },
    ...{ intake, importer, imported, wording, recovery, remote },
  };
}

type Jobs = ReturnType<typeof makeJobs>;

/** There is one worker: the leases of one that died need not run out. */
async function releaseLeases({ store, log }: WorkerParts) {
  try {
    await store.releaseOtherLeases(LEASE_HOLDER, MAX_ATTEMPTS);
  } catch (error) {
    // Leases run out by themselves.
    log.warn({ problem: errorText(error) }, "queue.takeover-failed");
  }
}

async function statusDocument(
  { home, store, version }: WorkerParts,
  { intake, recovery }: Jobs,
  startedAt: number,
) {
  const { user, system } = process.cpuUsage();
  const { added, lastEventAt = null, hooks } = intake.tally;
  return {
    ...{ version, pid: process.pid, node: process.version, startedAt: isoTime(startedAt) },
    rss: process.memoryUsage.rss(),
    cpuMs: Math.round((user + system) / 1_000),
    ...{ added, lastEventAt, hooks: hooks.times() ?? null },
    spool: spoolBacklog(spoolFolder(home)),
    problem: intake.problem() ?? null,
    losses: lossReport(home),
    paused: isPaused(home),
    queue: await store.queueStats(clock.now()),
    recovery: recovery.latest() ?? null,
    recovering: recovery.busy(),
  };
}

/** A search says what it cannot see. */
const withMissing = (finder: Finder, remote: Jobs["remote"]): Finder => ({
  ...finder,
  async search(request) {
    const answer = await finder.search(request);
    const missing = remote.missing();
    return missing === undefined ? answer : { ...answer, notes: [...answer.notes, missing] };
  },
});

/** What the socket, HTTP and mods ask for. */
function makeServices(parts: WorkerParts, made: Jobs) {
  const { home, store, isExcluded } = parts;
  const { answers, embedding, memoriesFrom, notifier, importer, imported, intake, onStored } = made;
  const finder = withMissing(makeFinder({ store, memoriesFrom, embedder: embedding.current }), made.remote);
  const rememberParts = {
    ...{ store, redact, isExcluded, clock, isPaused: () => isPaused(home) },
    placeOf: (folder: string) => memoryFolderFor({ home, env, folder }).place,
  };
  const gateway = gatewayFor(parts, made);
  const notified = <T>(done: Promise<T>) => done.finally(() => notifier.notify());
  return {
    finder,
    gateway,
    /** Stores events of any agent; takes what came over a wire. */
    ingest: gateway.ingest,
    /** Answers a hook. `project` is the folder that the agent was started in. */
    ...{ answer: answers.answer, reply: answers.reply, file: answers.file },
    drain: intake.drain,
    /** Stores what a request asks to remember; takes what came over a wire. */
    remember: (request: unknown) => notified(remember(rememberParts, request)),
    /** Edits or deletes one observation or summary, or undoes that; takes what came over a wire. */
    correct: (request: unknown) =>
      notified(correct({ home, store, redact: (text) => redactValue(text).value }, request)),
    forget: forgettingOf(home, store, made),
    /** Dead jobs; with `retry` they get all their attempts back. */
    jobs: async (retry: boolean) => {
      const found = await listDeadJobs(store, retry, clock.now());
      onStored();
      return found;
    },
    /** Exchanges changes with the team's server now. */
    sync: made.remote.sync,
    /** Shares an item or takes it back; takes what came over a wire. */
    share: made.remote.share,
    /** Imports one source at a time; takes what came over a wire. */
    import: importer.answer,
    /** Words imported turns by a model; takes what came over a wire. */
    word: imported.answer,
  };
}

/** The way in for programs: into the same spool as hooks, and what was said straight into the store. */
const gatewayFor = ({ home, store, version, isExcluded }: WorkerParts, { answers, onStored }: Jobs) =>
  makeGateway({
    ...{ home, version, clock, isExcluded, isPaused: () => isPaused(home), answer: answers.answer },
    keepMessages: async (session, messages) => {
      await keepMessages({ store, redact, isExcluded }, session, messages);
      onStored();
    },
  });

/** Jobs of the queues are taken up after the first pass over the spool: what waits there belongs to the same turns. */
function startJobs({ jobs, queues, intake }: Jobs) {
  const startQueues = () => {
    for (const queue of queues) queue.start();
  };
  void intake.drain().then(startQueues, startQueues);
  for (const job of jobs) if (!queues.some((queue) => queue === job)) job.start?.();
}

export async function composeWorker(parts: WorkerParts) {
  const { home, store, isExcluded, version, port, log } = parts;
  const startedAt = clock.now();
  await releaseLeases(parts);
  const made = makeJobs(parts);
  startJobs(made);
  const { jobs, intake, expiry, notifier, accountant, usage, windows, viewerFolder, onStored } = made;
  const services = makeServices(parts, made);
  const { answer, finder, forget, gateway } = services;
  const live = makeLive({ ...{ home, env, version, log, isExcluded, answer } });
  const turns = async (asked: unknown) => {
    const request = readTurnsRequest(asked);
    const window = live.windowOf(request);
    return window && answerTurns(window.session, request, window.model);
  };
  const mods = makeModsHandlers({
    ...{ home, env, version, clock, log, isExcluded, answer },
    backend: { find: (what, request) => finder[what](request), remember: services.remember, turns },
  });
  const streams = { count: 0 };
  const stopping = new AbortController();
  let boundPort = 0;
  const status: () => Promise<Readonly<Record<string, unknown>>> = async () => ({
    ...(await statusDocument(parts, made, startedAt)),
    ...{ port: boundPort, streams: streams.count, mods: mods.account() },
  });
  const server = await openHttpServer({
    ...{ home, env, store, redact, isExcluded, port, version, log, accountant, usage, windows, viewerFolder },
    ...{ changes: notifier, streams, stopping: stopping.signal, status, finder, mods, live, forget, gateway },
    settings: settingsAccess({ home, env, onChange: parts.onSettingsChange }),
    ...{ memories: makeMemoryHandlers({ home, env }), onImported: onStored, correct: services.correct },
  });
  boundPort = server?.port ?? 0;
  const isBusy = () => jobs.some((job) => job.busy?.());
  return {
    ...services,
    /** The turns of a session whose requests are edited; takes what came over a wire. */
    turns,
    status,
    /** 0 when there is no HTTP server. */
    port: boundPort,
    /** Lets one browser sign in once. Throws where there is no HTTP server. */
    invite: () => signInCodeFrom(server),
    /** Serves a connection to the socket that speaks HTTP. */
    serveHttp: (connection: Socket) => void (server ? server.serve(connection) : connection.destroy()),
    isBusy,
    /** Whether the worker has to stay: open streams, jobs, a spool that cannot be drained, a block that expires soon. */
    isNeeded: () => streams.count > 0 || isBusy() || intake.problem() !== undefined || expiry.isWaiting(),
    /** Milliseconds since something last happened, on a clock that never jumps. */
    quietFor: () => performance.now() - intake.tally.lastActivity,
    /** Finishes what is in hand, drains the spool, and closes the store. */
    stop: async () => {
      stopping.abort();
      await server?.close();
      for (const job of jobs) await job.stop();
      await store.close();
    },
  };
}
