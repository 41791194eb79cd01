// Everything that works while the worker is in office: the intake, the queue, and the HTTP face.
import type { Socket } from "node:net";
import { type ForgetReport, forgetEverywhere, previewForget } from "../forget/index.ts";
import { claudeFolders, isPaused, spoolFolder, vaultFolder } from "../home/index.ts";
import type { SignInCode } from "../http/index.ts";
import {
  type ChangeNotifier,
  type HttpOptions,
  makeChangeNotifier,
  openHttpServer,
  signInCodeFrom,
} from "../http/index.ts";
import { type ImportAnswer, type Importer, makeImporter } from "../importer/index.ts";
import type { HookAnswer } from "../inject/index.ts";
import type { TranscriptMarks } from "../intake/index.ts";
import {
  type Intake,
  type LifecycleListener,
  lossReport,
  makeLifecycle,
  startIntake,
} from "../intake/index.ts";
import { errorText, systemClock } from "../lib/index.ts";
import type { MemoryPlace } from "../memdir/index.ts";
import type { ModsDuties, ModsHandlers } from "../mods/index.ts";
import type { MakeRecovery, Recovery } from "../recovery/index.ts";
import type { EmbedderSource, MemorySource } from "../search/index.ts";
import { type CapturedEvent, spoolBacklog } from "../spool/index.ts";
import type { Scope, Store } from "../store/index.ts";
import type { ToolBackend } from "../tools/index.ts";
import { type Finder, makeFinder, memoryFolderFor, type Remembered, remember } from "../tools/index.ts";
import { openVault } from "../vault/index.ts";
import type { Answers } from "./answers.ts";
import { type GivenUpJobs, givenUpJobs } from "./givenUp.ts";
import type { Archiver } from "./jobs/archive.ts";
import type { Backups } from "./jobs/backup.ts";
import type { BlockExpiry } from "./jobs/blockExpiry.ts";
import type { Embedding } from "./jobs/embed.ts";
import type { NotesJob } from "./jobs/notes.ts";
import { type JobHandler, makeQueue, type QueueRunner } from "./queue.ts";

export interface EngineOptions extends HttpOptions {
  readonly handlers: ReadonlyMap<string, JobHandler>;
  /** Those who may take long, such as who asks a model: the others do not wait for them. */
  readonly patientHandlers?: ReadonlyMap<string, JobHandler>;
  /** Those who have a part in compactions and ends of sessions, in their order. */
  readonly lifecycleListeners?: readonly LifecycleListener[];
  /** Who says what answering hooks print. */
  readonly answers?: Answers;
  /** Makes the one who keeps sessions' notes. */
  readonly keepNotes?: (marks: TranscriptMarks, store: Store) => NotesJob;
  readonly archiver?: Archiver;
  readonly backups?: Backups;
  /** Makes what brings back the rows of damaged databases. */
  readonly recovery?: MakeRecovery;
  /** Makes vectors in the background, where settings ask for them. */
  readonly embedding?: Embedding;
  /** Removes snapshot blocks when they expire. */
  readonly expiry?: BlockExpiry;
  /** The memories that are found from a folder of work, or from nowhere. */
  readonly memoriesFrom?: (folder?: string) => MemorySource;
  /** Makes the one who answers the mod inside Claude Code. */
  readonly mods?: (duties: ModsDuties) => ModsHandlers;
}

type Status = Readonly<Record<string, unknown>>;

export interface Engine {
  /** 0 when there is no HTTP face. */
  readonly port: number;
  /** Lets one browser sign in once. Throws where there is no HTTP face. */
  invite(): SignInCode & { readonly port: number };
  /** Whoever came by the socket and speaks HTTP. */
  serveHttp(connection: Socket): void;
  drain(): Promise<{ readonly added: number }>;
  /** What a hook prints for its event. `project` is the folder that the agent was started in. */
  answer(event: CapturedEvent, project: string | undefined): Promise<HookAnswer>;
  status(): Promise<Status>;
  /** What can be found again. */
  readonly finder: Finder;
  /** Keeps what somebody asked to be remembered; takes what came over a wire. */
  remember(request: unknown): Promise<Remembered>;
  forget(scope: Scope, carryOut: boolean): Promise<ForgetReport>;
  /** The jobs that were given up; with `retry` they get all their attempts back. */
  jobs(retry: boolean): Promise<GivenUpJobs>;
  /** Brings the past in, one source at a time; takes what came over a wire. */
  import(request: unknown): Promise<ImportAnswer>;
  /** Whether there is anything that must not be left alone: readers, jobs, or a spool that cannot be drained. */
  isNeeded(): boolean;
  /** Whether anybody here is at work. */
  isBusy(): boolean;
  /** Milliseconds since something last happened, on a clock that never jumps. */
  quietFor(): number;
  /** Finishes what is in hand, drains what is spooled, and closes the store. */
  stop(): Promise<void>;
}

interface Machinery {
  readonly intake: Intake;
  readonly notes: NotesJob | undefined;
  readonly importer: Importer;
  readonly queue: QueueRunner;
  readonly recovery: Recovery | undefined;
  readonly bell: ChangeNotifier;
  readonly streams: { count: number };
  readonly stopping: AbortController;
  readonly startedAt: number;
}

async function statusOf(options: EngineOptions, machinery: Machinery, port: number): Promise<Status> {
  const { home, store, version, clock = systemClock } = options;
  const { intake, streams, startedAt, recovery } = machinery;
  const { user, system } = process.cpuUsage();
  return {
    version,
    pid: process.pid,
    node: process.version,
    startedAt: new Date(startedAt).toISOString(),
    rss: process.memoryUsage.rss(),
    cpuMs: Math.round((user + system) / 1_000),
    port,
    added: intake.tally.added,
    lastEventAt: intake.tally.lastEventAt ?? null,
    hooks: intake.tally.hooks.times() ?? null,
    spool: spoolBacklog(spoolFolder(home)),
    problem: intake.problem() ?? null,
    losses: lossReport(home),
    paused: isPaused(home),
    streams: streams.count,
    queue: await store.queueStats(clock.now()),
    recovery: recovery?.latest() ?? null,
    recovering: recovery?.busy() ?? false,
  };
}

/** Nobody's where no embedder was handed in. */
const embedderOf =
  ({ embedding }: EngineOptions): EmbedderSource =>
  async () =>
    embedding?.current();

/** What can be found again, for every door the same. */
function finderOf(options: EngineOptions): Finder {
  const { store, memoriesFrom } = options;
  const memories = memoriesFrom === undefined ? {} : { memoriesFrom };
  return makeFinder({ store, embedder: embedderOf(options), ...memories });
}

function assemble(options: EngineOptions, worker: string): Machinery {
  const { home, store, redact, isExcluded, handlers, log, clock = systemClock } = options;
  const startedAt = clock.now();
  const bell = makeChangeNotifier();
  const lanes = [handlers, options.patientHandlers ?? []].map((own) =>
    makeQueue({ store, handlers: new Map(own), worker, clock, log }),
  );
  const queue = together(lanes);
  let notes: NotesJob | undefined;
  const onAdded = (events: readonly CapturedEvent[]): void => {
    bell.notify();
    queue.wake();
    notes?.note(events);
    options.answers?.note(events);
  };
  const archiving = options.archiver === undefined ? [] : [options.archiver.take];
  const handling = [...(options.lifecycleListeners ?? []), ...archiving, options.accountant.take];
  const lifecycle = makeLifecycle(handling, log);
  const agentFolders = claudeFolders(options.env);
  const keeping = { home, store, redact, isExcluded, agentFolders, clock, log };
  const intake = startIntake({ ...keeping, onAdded, lifecycle });
  notes = options.keepNotes?.(intake.marks, store);
  options.archiver?.start(intake.marks);
  const importer = makeImporter({
    home,
    store,
    redact,
    isExcluded,
    clock,
    log,
    drain: intake.drain,
    archive: async (wanted) => (await options.archiver?.archive(wanted)) ?? "left",
    onKept: () => {
      intake.stir();
      bell.notify();
      queue.wake();
    },
  });
  return {
    intake,
    notes,
    importer,
    queue,
    recovery: options.recovery?.({ rebuild: intake.rebuild }),
    bell,
    streams: { count: 0 },
    stopping: new AbortController(),
    startedAt,
  };
}

/** What a worker that died held need not wait until its lease runs out: there is only one worker. */
async function takeOver({ store, log }: EngineOptions, worker: string): Promise<void> {
  try {
    await store.releaseOthers(worker);
  } catch (error) {
    // Leases run out by themselves.
    log.warn({ problem: errorText(error) }, "queue.takeover-failed");
  }
}

function together(lanes: readonly QueueRunner[]): QueueRunner {
  return {
    begin: () => {
      for (const lane of lanes) lane.begin();
    },
    wake: () => {
      for (const lane of lanes) lane.wake();
    },
    busy: () => lanes.some((lane) => lane.busy()),
    stop: async () => {
      await Promise.all(lanes.map((lane) => lane.stop()));
    },
  };
}

export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { store } = options;
  const worker = `${process.pid}-${(options.clock ?? systemClock).now()}`;
  await takeOver(options, worker);
  const machinery = assemble(options, worker);
  const { intake, notes, importer, queue, bell, streams, stopping, recovery } = machinery;
  // What waits in the spool belongs to turns whose work is in the queue already.
  void intake.drain().then(queue.begin, queue.begin);
  let port = 0;
  const answer: Engine["answer"] = async (event, project) =>
    (await options.answers?.answer(event, project)) ?? {};
  const finder = finderOf(options);
  const remembering: Engine["remember"] = (request) => rememberHere(options, machinery, request);
  const backend: ToolBackend = { find: (what, request) => finder[what](request), remember: remembering };
  const mods = options.mods?.({ answer, backend });
  const isBusy = (): boolean =>
    [queue, notes, options.accountant, importer, options.embedding, options.backups, recovery].some((one) =>
      one?.busy(),
    );
  const status = async (): Promise<Status> => ({
    ...(await statusOf(options, machinery, port)),
    mods: mods?.account() ?? null,
  });
  for (const one of [options.embedding, options.expiry, options.backups, recovery]) one?.begin();
  const face = await openHttpServer(options, {
    ...{ changes: bell, streams, stopping: stopping.signal, status, finder, mods },
    forget: (scope, carryOut) => forget(options, machinery, scope, carryOut),
    onImported: () => {
      bell.notify();
      queue.wake();
    },
  });
  port = face?.port ?? 0;
  return {
    port,
    invite: () => signInCodeFrom(face),
    serveHttp: (connection) => (face === undefined ? connection.destroy() : face.serve(connection)),
    status,
    finder,
    remember: remembering,
    drain: () => intake.drain(),
    answer,
    forget: (scope, carryOut) => forget(options, machinery, scope, carryOut),
    import: (request) => importer.answer(request),
    jobs: (retry) => givenUpHere(options, machinery, retry),
    isNeeded: () =>
      streams.count > 0 || isBusy() || intake.problem() !== undefined || options.expiry?.isWaiting() === true,
    isBusy,
    quietFor: () => performance.now() - intake.tally.lastActivity,
    stop: async () => {
      stopping.abort();
      await face?.close();
      await stopParts(options, machinery);
      await store.close();
    },
  };
}

async function givenUpHere(
  { store, clock = systemClock }: EngineOptions,
  { queue }: Machinery,
  retry: boolean,
): Promise<GivenUpJobs> {
  const found = await givenUpJobs(store, retry, clock.now());
  queue.wake();
  return found;
}

async function stopParts(options: EngineOptions, machinery: Machinery): Promise<void> {
  const { accountant, answers, archiver, backups, embedding, expiry } = options;
  const { recovery, importer, queue, intake, notes } = machinery;
  const background = [recovery, backups, expiry, embedding, importer, queue];
  for (const part of [...background, intake, notes, accountant, archiver, answers]) await part?.stop();
}

async function rememberHere(
  { home, env, store, redact, isExcluded, clock = systemClock }: EngineOptions,
  { bell }: Machinery,
  request: unknown,
): Promise<Remembered> {
  const placeOf = (folder: string): MemoryPlace => memoryFolderFor({ home, env, folder }).place;
  const parts = { store, redact, isExcluded, isPaused: () => isPaused(home), placeOf, clock };
  const done = await remember(parts, request);
  bell.notify();
  return done;
}

async function forget(
  { home, store, clock = systemClock }: EngineOptions,
  { intake, notes }: Machinery,
  scope: Scope,
  carryOut: boolean,
): Promise<ForgetReport> {
  // Otherwise an event on its way in would arrive behind its own deletion.
  if (carryOut) await intake.drain();
  const vault = openVault(vaultFolder(home));
  const parts = { home, store, vault, marks: intake.marks, now: clock.now() };
  if (!carryOut) return previewForget(parts, scope);
  const carry = (): Promise<ForgetReport> => forgetEverywhere(parts, scope);
  // Notes on their way to the disk would be written behind their own deletion.
  return notes ? notes.without(carry) : carry();
}
