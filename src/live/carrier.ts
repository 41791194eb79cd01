// A carrier's part, alike for the mod and the proxy: asks the worker for edits, applies those in force, decides nothing.
import { applyEdits } from "./applyEdits.ts";
import { type RequestBody, readBody } from "./body.ts";
import { changed, type EditsInForce, readChange, readRecord } from "./edits.ts";
import {
  type CarrierName,
  type ObserveQuestion,
  type PlanAnswer,
  type PlanQuestion,
  type RequestKind,
  readAnswer,
  recordName,
} from "./protocol.ts";
import { type ChainedRows, chainedRows, commonRows, hashText } from "./rows.ts";

/** What the carrier knows of a request beside its body. */
export interface RequestFacts {
  readonly kind: RequestKind;
  readonly session: string;
  readonly agent?: string;
  readonly project: string;
  readonly transcript?: string;
  readonly client?: string;
  readonly betas?: readonly string[];
  readonly window?: number;
  readonly described?: NonNullable<PlanQuestion["described"]>;
}

/** A summary that the session's own model is to write. */
interface SummaryRequest {
  readonly prompt: string;
  /** The conversation to summarise with the prompt behind it, each message as JSON. */
  readonly messages: readonly string[];
  readonly maxTokens: number;
}

/** A summary that was written before it was wanted, of so many rows. */
interface SummaryAhead {
  readonly text: string;
  readonly rows: number;
}

/** How a carrier reaches the worker, the disk and the model. None of these rejects. */
export interface CarrierSeam {
  /** The worker's answer within so many milliseconds; undefined when it is late, gone or declines. */
  ask(op: "plan", question: PlanQuestion, deadline: number): Promise<unknown>;
  /** Tells the worker something that it does not answer. */
  tell(op: "observe", question: ObserveQuestion): void;
  /** The text of a record in the folder `live`; undefined where there is none. */
  record(name: string): Promise<string | undefined>;
  /** Undefined where the model cannot be asked or gave nothing. */
  summarise(
    wanted: SummaryRequest,
    text: string,
    facts: RequestFacts,
  ): Promise<string | SummaryAhead | undefined>;
  /** A summary will be wanted soon: for a carrier that cannot ask the model while a request waits. `rows`: those sent so far. */
  summaryAhead?(prompt: string, rows: number): void;
  /** Something for the person to read, each text once. */
  say(line: string): void;
}

/** What is told of a response. */
type ObservedResponse = Pick<ObserveQuestion, "model" | "usage" | "contextManagement" | "cacheMiss">;

interface EditedRequest {
  /** The body to send. The very text that came where nothing is edited. */
  readonly text: string;
  /** The version of the edits that it was made with. */
  readonly version: number;
  readonly made: number;
}

/** The window of one conversation, as this carrier knows it. */
interface CarriedWindow {
  inForce: EditsInForce;
  /** The rows of the last request, and up to which of them the worker has them. */
  rows: ChainedRows;
  acknowledged: number;
  fixedHash: string;
  patience: number;
  /** When the worker was asked last, in milliseconds. */
  askedAt: number;
  /** The messages that were sent last, for a request to which the edits cannot be applied. */
  sent: { readonly messages: string; readonly chains: readonly string[] } | undefined;
}

/** Milliseconds for what is new in a usual request. */
const USUAL_DEADLINE = 50;
/** The first request of a window: the worker opens the session. */
const FIRST_DEADLINE = 1_000;
/** Rows that the worker has lost are sent once, and a refused request has nothing to lose. */
const LONG_DEADLINE = 5_000;
/** After such a silence the cache is cold: the time to compact, for which the worker needs longer. */
const IDLE_MS = 300_000;
/** Characters of rows in one question: less than a mod may send at once. */
const MOST_CHARACTERS = 1_500_000;
const MOST_QUESTIONS = 40;
const CHARACTERS_PER_TOKEN = 2.5;
const SMALLEST_WINDOW = 200_000;
const MOST_WINDOWS = 50;

const decidingFields = ["system", "tools", "thinking", "context_management", "compaction", "output_config"];

export class LiveCarrier {
  readonly #name: CarrierName;
  readonly #seam: CarrierSeam;
  readonly #deadline: number;
  readonly #windows = new Map<string, CarriedWindow>();

  constructor(name: CarrierName, seam: CarrierSeam, deadline: number = USUAL_DEADLINE) {
    this.#name = name;
    this.#seam = seam;
    this.#deadline = deadline;
  }

  /** The request to send instead of this one. Never rejects for what it was given. */
  async edited(text: string, facts: RequestFacts): Promise<EditedRequest> {
    return this.#make(text, facts, undefined);
  }

  /** The same after the API refused it; undefined when nothing more can be done about it. */
  async recovered(
    text: string,
    facts: RequestFacts,
    refused: NonNullable<PlanQuestion["refused"]>,
    before: EditedRequest,
  ): Promise<EditedRequest | undefined> {
    if (facts.kind !== "main" && facts.kind !== "subagent") return undefined;
    const again = await this.#make(text, facts, { ...refused, length: before.text.length });
    return again.text === before.text ? undefined : again;
  }

  /** Tells the worker what the API answered to the last request of a window. */
  observe({ session, agent, project }: RequestFacts, response: ObservedResponse): void {
    const version = this.#windows.get(recordName(session, agent))?.inForce.version ?? 0;
    const window = { session, ...(agent !== undefined && { agent }), project, version };
    this.#seam.tell("observe", { v: 1, carrier: this.#name, ...window, ...response });
  }

  /** The edits of a window that its last request has the rows for, for a carrier that has its messages as values. */
  applied({ session, agent }: RequestFacts): EditsInForce["edits"] {
    const window = this.#windows.get(recordName(session, agent));
    if (!window) return [];
    const { inForce, rows } = window;
    return inForce.edits.filter(({ guard }) => guard === undefined || rows.chains[guard.row] === guard.chain);
  }

  async #make(text: string, facts: RequestFacts, refused: PlanQuestion["refused"]): Promise<EditedRequest> {
    const isCarried = facts.kind === "main" || facts.kind === "subagent" || facts.kind === "branch";
    const body = isCarried ? readBody(text) : undefined;
    if (!body) return { text, version: 0, made: 0 };
    const window = await this.#windowOf(facts);
    const rows = chainedRows(body, window.rows);
    if (facts.kind !== "branch") await this.#update(window, body, rows, facts, refused);
    return this.#apply(window, body, rows, facts);
  }

  async #windowOf({ session, agent }: RequestFacts): Promise<CarriedWindow> {
    const name = recordName(session, agent);
    const known = this.#windows.get(name);
    if (known) return known;
    const window: CarriedWindow = {
      inForce: readRecord((await this.#seam.record(name)) ?? ""),
      rows: { rows: [], chains: [] },
      acknowledged: 0,
      fixedHash: "",
      patience: Math.max(FIRST_DEADLINE, this.#deadline),
      askedAt: Date.now(),
      sent: undefined,
    };
    this.#windows.set(name, window);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > MOST_WINDOWS && oldest !== undefined) this.#windows.delete(oldest);
    return window;
  }

  /** Asks until the worker has what it needs, and takes over the edits that it answers. */
  async #update(
    window: CarriedWindow,
    body: RequestBody,
    rows: ChainedRows,
    facts: RequestFacts,
    refused: PlanQuestion["refused"],
  ): Promise<void> {
    const common = Math.min(window.acknowledged, commonRows(window.rows.chains, rows.chains));
    const conversation = new Conversation(this.#name, body, rows, facts, {
      base: common,
      version: window.inForce.version,
      fixedHash: window.fixedHash,
      refused,
    });
    window.rows = rows;
    window.acknowledged = common;
    const isIdle = Date.now() - window.askedAt > IDLE_MS;
    window.askedAt = Date.now();
    let deadline = refused || isIdle ? LONG_DEADLINE : window.patience;
    for (let asked = 0; asked < MOST_QUESTIONS; asked++) {
      const question = conversation.next(deadline);
      const answer = readAnswer(await this.#seam.ask("plan", question, deadline));
      if (!answer) return;
      window.acknowledged = question.base.count + question.rows.length;
      window.fixedHash = question.fixedHash;
      if (answer.kind === "summary-wanted") {
        const words = await this.#seam.summarise(answer, body.text, facts);
        const written = typeof words === "string" ? { text: words } : words;
        conversation.summary = { id: answer.id, ...written };
        deadline = LONG_DEADLINE;
      } else if (answer.kind === "rows-wanted") {
        window.acknowledged = conversation.goOnFrom(answer);
        deadline = LONG_DEADLINE;
      } else return this.#takeOver(window, answer);
    }
  }

  #takeOver(window: CarriedWindow, answer: Extract<PlanAnswer, { kind: "edits" | "unchanged" }>): void {
    const change = answer.kind === "edits" ? readChange(answer.change) : undefined;
    if (change) window.inForce = changed(window.inForce, change);
    window.patience = answer.patience ?? this.#deadline;
    if (answer.summaryAhead !== undefined)
      this.#seam.summaryAhead?.(answer.summaryAhead, window.rows.rows.length);
    if (answer.line !== undefined && answer.line !== "") this.#seam.say(answer.line);
  }

  #apply(
    window: CarriedWindow,
    body: RequestBody,
    { chains }: ChainedRows,
    facts: RequestFacts,
  ): EditedRequest {
    const { version } = window.inForce;
    const applied = applyEdits(body, chains, window.inForce);
    const text = applied?.text ?? withLastSent(body, chains, window.sent, facts.window);
    if (facts.kind !== "branch") {
      const after = text === body.text ? body : readBody(text);
      const span = after?.messages;
      window.sent = span && { messages: text.slice(span.start, span.end), chains };
    }
    return { text, version, made: applied?.made ?? 0 };
  }
}

/**
 * The request where the edits cannot be applied: as it came where it surely fits, else the messages that were sent last and
 * those that are new.
 */
function withLastSent(
  body: RequestBody,
  chains: readonly string[],
  sent: CarriedWindow["sent"],
  window: number | undefined,
) {
  const { text, messages, rows } = body;
  const fits = text.length / CHARACTERS_PER_TOKEN <= Math.min(window ?? SMALLEST_WINDOW, SMALLEST_WINDOW);
  const known = sent ? commonRows(sent.chains, chains) : 0;
  if (fits || !sent || known < sent.chains.length) return text;
  const added = rows.slice(known).map(({ start, end }) => text.slice(start, end));
  const list = [sent.messages.slice(0, -1), ...added].join(",");
  return `${text.slice(0, messages.start)}${list}]${text.slice(messages.end)}`;
}

interface ConversationState {
  readonly base: number;
  readonly version: number;
  /** The fixed parts that the worker has. */
  readonly fixedHash: string;
  readonly refused: PlanQuestion["refused"];
}

/** The questions about one request, one after the other until the worker has every row. */
class Conversation {
  summary: PlanQuestion["summary"];
  readonly #name: CarrierName;
  readonly #body: RequestBody;
  readonly #rows: ChainedRows;
  readonly #facts: RequestFacts;
  readonly #state: ConversationState;
  readonly #fixed: Readonly<Record<string, string>>;
  readonly #fixedHash: string;
  #base: number;
  #sendsFixed: boolean;

  constructor(
    name: CarrierName,
    body: RequestBody,
    rows: ChainedRows,
    facts: RequestFacts,
    state: ConversationState,
  ) {
    this.#name = name;
    this.#body = body;
    this.#rows = rows;
    this.#facts = facts;
    this.#state = state;
    this.#fixed = Object.fromEntries(
      decidingFields.flatMap((field) => {
        const text = this.#field(field);
        return text === undefined ? [] : [[field, text]];
      }),
    );
    this.#fixedHash = hashText(JSON.stringify(this.#fixed));
    this.#base = state.base;
    this.#sendsFixed = this.#fixedHash !== state.fixedHash;
  }

  /** Continues where the worker's rows end; gives how many it has. */
  goOnFrom({ count, chain, fixed }: { count: number; chain: string; fixed: boolean }): number {
    this.#base = count > 0 && this.#rows.chains[count - 1] === chain ? count : 0;
    this.#sendsFixed = fixed;
    return this.#base;
  }

  next(deadline: number): PlanQuestion {
    const { kind: _kind, ...facts } = this.#facts;
    const { version, refused } = this.#state;
    const base = this.#base;
    const rows = rowsWithin(this.#rows.rows, base);
    this.#base += rows.length;
    const isPartial = this.#base < this.#rows.rows.length;
    return {
      v: 1,
      carrier: this.#name,
      ...facts,
      model: readModel(this.#field("model")),
      ...(this.#sendsFixed && { fixed: this.#fixed }),
      fixedHash: this.#fixedHash,
      base: { count: base, chain: this.#rows.chains[base - 1] ?? "" },
      rows,
      ...(isPartial && { isPartial }),
      version,
      deadline,
      ...(refused !== undefined && { refused }),
      ...(this.summary !== undefined && { summary: this.summary }),
    };
  }

  #field(name: string): string | undefined {
    const span = this.#body.fields.get(name);
    return span && this.#body.text.slice(span.start, span.end);
  }
}

function rowsWithin(rows: readonly string[], base: number): readonly string[] {
  let [end, size] = [base, 0];
  while (end < rows.length && (end === base || size + (rows[end]?.length ?? 0) <= MOST_CHARACTERS)) {
    size += rows[end]?.length ?? 0;
    end++;
  }
  return rows.slice(base, end);
}

const readModel = (text = '""') => text.slice(1, -1);
