// The live engine in the worker: plans the edits of a request with the pipeline, records them, and answers what changed.

import { summaryText } from "../activity/index.ts";
import { notesFolder, readNotes, readNotesState, SUMMARY_TOKENS, summaryPrompt } from "../compact/index.ts";
import type { Config } from "../config/index.ts";
import { accountAfter, accountGuard, plainRequest, type SentRequest } from "../economics/index.ts";
import { type Home, projectOf } from "../home/index.ts";
import {
  type Clock,
  defined,
  errorText,
  readForeign,
  ThroughlineError,
  timeOrderedId,
} from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import { readUsage } from "../messages/index.ts";
import {
  commitRequest,
  compactsAt,
  observeResponse,
  type Prepared,
  type PrepareInput,
  planRequest,
  prepareWithSummary,
  type RequestPlan,
  type Session,
} from "../pipeline/index.ts";
import { estimateText, findModel } from "../tokens/index.ts";
import { withDescribedModel } from "./describedModel.ts";
import type { AnswerNotes, ObserveQuestion, PlanAnswer, PlanQuestion } from "./protocol.ts";
import { onlyRecalls } from "./sessionFacts.ts";
import { dropThinking } from "./thinking.ts";
import { LiveWindow } from "./window.ts";

/** What a live compaction raises, as a compaction of the agent's own would: each resolves when it is done. */
export interface CompactionEvents {
  /** Before it: snapshot and archive are made while the whole window is there. */
  before(question: PlanQuestion): Promise<void>;
  /** What a session that begins anew is told. */
  sessionStart(question: PlanQuestion): Promise<string>;
  /** After it, with the words of the summary. */
  after(question: PlanQuestion, summary: string): Promise<void>;
}

export interface EngineParts {
  readonly home: Home;
  readonly clock: Clock;
  readonly log: Pick<Logger, "info" | "warn">;
  readonly events: CompactionEvents;
  /** The settings in effect in a folder of work. */
  readonly settings: (project: string) => Config;
}

/** Names a window: by its session, or by a turn of it. */
export interface WindowRequest {
  readonly session?: string | undefined;
  readonly folder: string;
  /** Tags of turns. */
  readonly ids?: readonly string[] | undefined;
}

export interface OpenLiveWindow {
  readonly session: Session;
  /** The model of its last request. */
  readonly model: string;
}

const MOST_WINDOWS = 100;
/** A file that is given back after a compaction is cut far below this. */
const MOST_FILE_BYTES = 4_000_000;
/** From this share of the room on a carrier waits longer: without an answer the request may not fit. */
const NEARLY_FULL = 0.85;
const PATIENCE = 2_000;
/** Time for a compaction that nothing forces: snapshot and archive come before it. */
const COMPACTION_PATIENCE = 5_000;
/** New rows after which a compaction that was late is announced again: its snapshot would lack them. */
const MOST_ROWS_SINCE = 20;
/** A request of fewer characters a token of the window was not refused for its size. */
const SURELY_FITS = 2.5;
/** What is tried in turn after a refusal: a compaction, and one to a quarter of the room. */
const RECOVERY_SHARE = 4;

export class LiveEngine {
  readonly #parts: EngineParts;
  readonly #windows = new Map<string, LiveWindow>();

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  /** `offReason`: why no new edits are planned now; those in force stay. */
  async plan(question: PlanQuestion, offReason?: string): Promise<PlanAnswer> {
    const startedAt = this.#parts.clock.now();
    const window = this.#windowOf(question);
    const missing = takeRows(window, question);
    if (missing !== undefined) return missing;
    const parent = window.continueFork(this.#parts.home);
    if (parent !== undefined) this.#parts.log.info({ session: question.session, parent }, "live.forked");
    const values = withDescribedModel(this.#parts.settings(question.project), question);
    const model = findModel(question.model, values.models);
    window.sent = undefined;
    if (model === undefined || offReason !== undefined)
      return this.#unchanged(window, question, defined({ line: offReason }));
    this.#reconcile(window, question);
    const { refused } = question;
    const limit = Math.min(refused?.limit ?? model.window, question.window ?? model.window);
    const session = window.sessionFor(model, values, limit, accountGuard(window.account) !== undefined);
    // Only of what was planned the size is known: a request that went out without its plan teaches nothing.
    if (refused?.tokens !== undefined && window.sentRows === window.count)
      observeResponse({
        session,
        model: question.model,
        usage: { input_tokens: refused.tokens, output_tokens: 0 },
      });
    if (refused?.isUnread && (refused.length ?? 0) < limit * SURELY_FITS)
      return this.#unchanged(window, question);
    const input = this.#inputFor(window, question);
    try {
      if (refused?.isThinking && !dropThinking(planRequest({ ...input, session })))
        return this.#unchanged(window, question);
      const plan = planWithin({ ...input, session }, window, question);
      // What had to be mended is the client's: its bytes go on as they came, with the edits in force.
      if (plan.incoming.repairs.length > 0) return this.#unchanged(window, question);
      const isLate = () => this.#parts.clock.now() - startedAt > question.deadline;
      if (plan.fitted.compaction !== undefined) return await this.#compact(window, question, plan, isLate);
      if (isLate()) return this.#unchanged(window, question, patienceOf(window));
      return this.#answer(window, question, plan, commitRequest(plan));
    } catch (error) {
      if (!(error instanceof ThroughlineError)) throw error;
      this.#parts.log.warn({ session: question.session, problem: errorText(error) }, "live.not-planned");
      return this.#unchanged(window, question);
    }
  }

  observe({ session, agent, model, usage, contextManagement, cacheMiss }: ObserveQuestion): void {
    const window = this.#windows.get(keyOf(session, agent));
    const known = window && findModel(model, window.session.models);
    if (window === undefined || known === undefined) return;
    observeResponse({ session: window.session, model, usage, ...defined({ contextManagement }) });
    const { account: before, sent } = window;
    const read = readUsage(usage);
    // A request that was not planned has no counterpart to be compared with.
    if (sent === undefined || read === undefined) return;
    window.sent = undefined;
    window.saveAccount(accountAfter(before, read, sent, known, cacheMiss));
    const why = accountGuard(window.account);
    if (why !== undefined && accountGuard(before) === undefined)
      this.#parts.log.warn({ session, why }, "live.guarded");
  }

  /**
   * The window of a session's main thread that has had a request. A session that a client began anew without saying so (after
   * /clear) is found by the tags that its model names.
   */
  windowFor({ session, folder, ids = [] }: WindowRequest): OpenLiveWindow | undefined {
    const project = projectOf(folder).id;
    const open = [...this.#windows.values()].filter((one) => one.isMain && one.hasTurns);
    const own = open.find(({ place }) => place.session === session);
    if (own !== undefined && (ids.length === 0 || own.knowsAny(ids))) return own;
    const near = open.filter(({ place }) => place.project === project);
    const newest = session === undefined ? near.at(-1) : own;
    return near.findLast((one) => one.knowsAny(ids)) ?? newest;
  }

  #windowOf(question: PlanQuestion): LiveWindow {
    const key = keyOf(question.session, question.agent);
    const window =
      this.#windows.get(key) ??
      new LiveWindow(this.#parts.home, question, this.#parts.settings(question.project));
    window.model = question.model;
    // The one that was used last stands last.
    this.#windows.delete(key);
    this.#windows.set(key, window);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > MOST_WINDOWS && oldest !== undefined) this.#windows.delete(oldest);
    return window;
  }

  /** The carrier's version says what the last request went out with. */
  #reconcile(window: LiveWindow, { version }: PlanQuestion): void {
    if (version < window.record.inForce.version) window.takeBackUnsent(version, this.#parts.clock.now());
  }

  #inputFor(window: LiveWindow, { model, refused }: PlanQuestion): Omit<PrepareInput, "session"> {
    const { fixed, place, values, messages } = window;
    const folder = notesFolder(place);
    // Words of the session's own model are better than notes that no model wrote; `seed` takes any.
    const isTaken = values.policy === "seed" || readNotesState(folder)?.by === "model";
    return {
      messages,
      model,
      now: this.#parts.clock.now(),
      body: fixed.body,
      surroundings: { readFile: (file) => readForeign(file, MOST_FILE_BYTES) },
      ...defined({
        system: fixed.system,
        tools: fixed.tools,
        notes: isTaken ? readNotes(folder) : undefined,
        compact: refused && !refused.isThinking ? recovery(window, refused) : undefined,
      }),
    };
  }

  /** In the order of words: notes that a model wrote, the session's own model, the messages themselves. */
  async #compact(
    window: LiveWindow,
    question: PlanQuestion,
    plan: RequestPlan,
    isLate: () => boolean,
  ): Promise<PlanAnswer> {
    const { compaction } = plan.fitted;
    const asksModel = compaction?.from === "messages" && !compaction.order.byPrice;
    const { rows: rowsRead = window.sentRows, ...given } = question.summary ?? {};
    const summary = question.summary ? { ...given, rows: rowsRead } : window.wordsSince(MOST_ROWS_SINCE);
    const announced = this.#announced(window, question);
    if (asksModel && summary === undefined) return this.#wantsSummary(question, plan);
    // The next request may come before this one is answered.
    window.words = summary;
    const sessionStart = await announced;
    // Made with the next request, for which everything is ready then: nothing of it is recorded now.
    window.wantsTime = isLate();
    if (window.wantsTime) return this.#unchanged(window, question, patienceOf(window));
    window.announced = undefined;
    window.words = undefined;
    const input: PrepareInput = {
      ...plan.input,
      surroundings: { ...plan.input.surroundings, ...defined({ sessionStart: sessionStart || undefined }) },
    };
    const words = asksModel ? summary?.text : undefined;
    const prepared =
      words === undefined
        ? commitRequest(planRequest(input))
        : prepareWithSummary(input, {
            text: summaryText(words).trim(),
            unread: unreadIn(window, plan, summary?.rows),
          });
    const answer = this.#answer(window, question, plan, prepared);
    const { session, receipt } = { session: question.session, receipt: prepared.receipt };
    const { before, after } = receipt.tokens;
    this.#parts.log.info({ session, before, after, words: receipt.compaction?.from }, "live.compacted");
    await this.#parts.events.after(question, words ?? "");
    return answer;
  }

  /**
   * Raises what comes before a compaction, and gives what a session that begins anew is told. Once for a compaction: an
   * attempt that was late leaves it to the next.
   */
  #announced(window: LiveWindow, question: PlanQuestion): Promise<string> {
    const { announced } = window;
    if (announced && window.count - announced.rows <= MOST_ROWS_SINCE) return announced.text;
    const { before, sessionStart } = this.#parts.events;
    const text = before(question).then(() => sessionStart(question));
    window.announced = { rows: window.count, text };
    text.catch(() => {
      window.announced = undefined;
    });
    return text;
  }

  #wantsSummary({ carrier }: PlanQuestion, plan: RequestPlan): PlanAnswer {
    const prompt = summaryPrompt({ mode: "base" });
    const last = { role: "user", content: prompt };
    // The mod has Claude Code go on from its own conversation, and needs the words alone.
    const sent = carrier === "mod" ? [] : [...plan.context.applied.messages, last];
    return {
      kind: "summary-wanted",
      id: timeOrderedId("s", this.#parts.clock.now()),
      prompt,
      messages: sent.map((message) => JSON.stringify(message)),
      maxTokens: SUMMARY_TOKENS,
    };
  }

  #answer(
    window: LiveWindow,
    question: PlanQuestion,
    plan: RequestPlan,
    { items, receipt }: Prepared,
  ): PlanAnswer {
    const { record } = window;
    const isCurrent = question.version === record.inForce.version;
    const change = window.changeFor(items, plan.incoming.items);
    window.sent = sentRequest(window, plan, receipt, change !== undefined && change.from < window.sentRows);
    window.sentRows = window.count;
    const line = accountGuard(window.account);
    const notes = {
      ...patienceOf(window),
      ...notesFor(plan, question, receipt.tokens.after),
      ...defined({ line }),
    };
    if (change === undefined && isCurrent) return this.#unchanged(window, question, notes);
    if (change !== undefined)
      record.append(
        change,
        receipt.edits.map(({ id }) => id),
      );
    // A carrier that has another version than the record gets all of it.
    const whole = { ...record.inForce, from: 0 };
    return { kind: "edits", change: isCurrent && change !== undefined ? change : whole, ...notes };
  }

  /** A carrier without any edit, at the beginning of a fork, gets those that its parent's requests were sent with. */
  #unchanged({ record, isForked }: LiveWindow, question: PlanQuestion, notes: AnswerNotes = {}): PlanAnswer {
    const { version } = record.inForce;
    return isForked && question.version === 0
      ? { kind: "edits", change: { ...record.inForce, from: 0 }, ...notes }
      : { kind: "unchanged", version, ...notes };
  }
}

const keyOf = (session: string, agent: string | undefined) => `${session}\n${agent ?? ""}`;

/** What is missing for a plan; undefined when the window has every row. */
function takeRows(window: LiveWindow, question: PlanQuestion): PlanAnswer | undefined {
  const { base, rows, fixed, fixedHash, isPartial } = question;
  if (fixed !== undefined) window.learnFixed(fixedHash, fixed);
  const lacksFixed = !window.hasFixed(fixedHash);
  const isTaken = window.take(base, rows);
  if (isTaken && !isPartial && !lacksFixed) return undefined;
  const { count, chain } = window;
  return { kind: "rows-wanted", count, chain, fixed: lacksFixed };
}

const patienceOf = ({ wantsTime }: LiveWindow): AnswerNotes =>
  wantsTime ? { patience: COMPACTION_PATIENCE } : {};

/** A compaction that nothing forces is left to a request whose carrier waits for it: the notes ask for the time. */
function planWithin(input: PrepareInput, window: LiveWindow, { deadline }: PlanQuestion): RequestPlan {
  const plan = planRequest(input);
  if (!plan.fitted.compaction?.order.byPrice || deadline >= COMPACTION_PATIENCE) return plan;
  window.wantsTime = true;
  const { settings } = input.session;
  const autocompact = { ...settings.autocompact, whenCold: false, whenWarm: false };
  return planRequest({
    ...input,
    session: { ...input.session, settings: { ...settings, autocompact } },
  });
}

/** In a window that is nearly full a carrier waits longer, and the mod has a summary written before it is wanted. */
function notesFor({ context }: RequestPlan, { carrier }: PlanQuestion, tokens: number) {
  if (tokens <= compactsAt(context.settings.autocompact, context.model.window) * NEARLY_FULL) return {};
  return {
    patience: PATIENCE,
    ...(carrier === "mod" ? { summaryAhead: summaryPrompt({ mode: "base" }) } : {}),
  };
}

/** The request as the account needs it: its counterpart of a client without edits, and what the edits changed. */
function sentRequest(
  window: LiveWindow,
  { context, fitted }: RequestPlan,
  { tokens, cache }: Prepared["receipt"],
  changesSent: boolean,
): SentRequest {
  const { model } = context;
  const { outputReserve, buffer } = context.settings.autocompact;
  const { fixed } = context.sizeOf(fitted.trial.after);
  const isCold = cache.predicted !== "warm";
  const isRecall = onlyRecalls(window.messages);
  const own = estimateText(window.fixed.ownTools, model.tokenizer);
  const plain = plainRequest(
    window.account.plain,
    {
      ...{ history: Math.max(0, tokens.before - fixed), fixed: Math.max(0, fixed - own), isCold, isRecall },
      ...{ limit: window.clientWindow - outputReserve - buffer, ttl: cache.ttl },
    },
    model,
  );
  return { plain, isRecall, isCold, changesSent };
}

/** The first message that the session's own model had not read when it wrote: what is new with this request. */
function unreadIn(window: LiveWindow, plan: RequestPlan, rows = window.sentRows) {
  return plan.incoming.items[rows]?.id;
}

/** After a refusal by size: compact, then to a quarter of the room. */
function recovery(
  window: LiveWindow,
  refused: NonNullable<PlanQuestion["refused"]>,
): PrepareInput["compact"] {
  if (refused.attempt === 0) return {};
  const { outputReserve, buffer } = window.session.settings.autocompact;
  const room = (refused.limit ?? 0) - outputReserve - buffer;
  return room > 0 ? { to: Math.floor(room / RECOVERY_SHARE) } : {};
}
