// What the user's words answer: each reply with the question, options, plan, proposal or rejected call before it.
import { GrowingReaders, isObject } from "../lib/index.ts";
import {
  blocksOf,
  type History,
  type HistoryItem,
  isText,
  isToolResult,
  userWords,
} from "../messages/index.ts";
import {
  chosenOptions,
  isAlternative,
  isPureAcceptance,
  namesOption,
  offerIn,
  type Stance,
  stanceOf,
} from "./choices.ts";
import { condensed } from "./condense.ts";
import { oneLine, plain } from "./text.ts";
import { callReaderOf, rowOf, type ToolCall } from "./toolCall.ts";

/** What a reply answers. */
interface Proposal {
  readonly kind: "words" | "question" | "plan" | "call";
  readonly text: string;
  readonly at: number;
  readonly row: string;
}

export interface Exchange {
  /** Index of the message that holds the reply, and its row. */
  readonly at: number;
  readonly row: string;
  /** The user's words, whole. */
  readonly reply: string;
  /** Absent where nothing was said before. */
  readonly proposal?: Proposal;
  readonly stance: Stance;
  /** What was chosen, where the form of question and reply says so. */
  readonly chosen: readonly string[];
  /** A later reply took it back, or may have: then it is not stated any more. */
  readonly reversal?: "certain" | "possible";
}

/** What the assistant says between two replies of the user, one text after the other. */
interface AssistantText {
  readonly at: number;
  readonly row: string;
  readonly text: string;
  /** The last one before the user spoke, or before the end: it closes a turn. */
  readonly isClosing: boolean;
}

export interface Dialogue {
  readonly exchanges: readonly Exchange[];
  readonly texts: readonly AssistantText[];
}

/** The user's words in the result of a call that they did not allow. */
const saidInRefusal = /the user said:\s*([\s\S]+?)\s*(?:\n\nNote: The user's next message|$)/i;

function wordsInRefusal({ output }: ToolCall) {
  return saidInRefusal.exec(output)?.[1]?.trim() || undefined;
}

/** A call as something that was proposed: what it would have done. */
function callText({ name, input }: ToolCall) {
  const what = [input.plan, input.command, input.file_path, input.description, input.prompt, input.url].find(
    (value) => typeof value === "string",
  );
  const change = typeof input.new_string === "string" ? `: ${input.new_string}` : "";
  return `${name} ${oneLine(`${what ?? ""}${change}`, 600)}`.trim();
}

interface QuestionAnswer {
  readonly question: string;
  readonly answer: string;
}

const answerPair = /"((?:[^"\\]|\\.){3,500})"\s*=\s*"((?:[^"\\]|\\.){1,1000})"/g;

/** Questions of AskUserQuestion with their answers, as the result writes them. */
export function answersIn({ output }: Pick<ToolCall, "output">): QuestionAnswer[] {
  return [...output.matchAll(answerPair)].map(([, question = "", answer = ""]) => ({ question, answer }));
}

/** What an option of AskUserQuestion says beside its label. */
function describedOption({ input }: ToolCall, { question, answer }: QuestionAnswer) {
  const questions = Array.isArray(input.questions) ? input.questions.filter(isObject) : [];
  const asked = questions.find((one) => one.question === question);
  const options = Array.isArray(asked?.options) ? asked.options.filter(isObject) : [];
  const picked = options.filter(({ label }) => typeof label === "string" && answer.includes(label));
  const described = picked.map(({ label, description }) =>
    typeof description === "string" && description !== "" ? `${label}: ${description}` : `${label}`,
  );
  return described.length > 0 ? described.join("; ") : answer;
}

type FoundExchange = Omit<Exchange, "reversal">;

function exchangesOfCall(call: ToolCall): FoundExchange[] {
  const { name, outcome, at, row, resultRow = row } = call;
  const base = { at, row: resultRow };
  if (name === "AskUserQuestion" && outcome === "ok")
    return answersIn(call).map((pair) => ({
      ...base,
      reply: pair.answer,
      proposal: { kind: "question", text: pair.question, at, row },
      stance: "accepts",
      chosen: [`${pair.question} → ${describedOption(call, pair)}`],
    }));
  if (name === "ExitPlanMode" && typeof call.input.plan === "string" && outcome === "ok") {
    const plan = call.input.plan;
    return [
      {
        ...base,
        reply: "",
        proposal: { kind: "plan", text: plan, at, row },
        stance: "accepts",
        chosen: [condensed(plan, ACCEPTED, "")],
      },
    ];
  }
  const words = outcome === "refused" ? wordsInRefusal(call) : undefined;
  if (words === undefined) return [];
  const kind = name === "ExitPlanMode" ? "plan" : "call";
  return [
    {
      ...base,
      reply: words,
      proposal: { kind, text: callText(call), at, row },
      stance: "declines",
      chosen: [],
    },
  ];
}

export function planHeading(plan: string): string {
  const lines = plan.split("\n").map((line) => plain(line.replace(/^#+\s*/, "")));
  return (lines.find((line) => line !== "") ?? "").replace(/^plan:\s*/i, "");
}

/** An option may have been proposed some answers ago; a bare number speaks of the last one. */
const EARLIER_TEXTS = 4;

const knownExchanges = new WeakMap<HistoryItem, { readonly key: string; readonly exchange: FoundExchange }>();

/** What a message says to the texts before it; read once for the same texts. */
function exchangeWith(item: HistoryItem, reply: string, at: number, before: readonly AssistantText[]) {
  const key = [at, ...before.map(({ at: place, row }) => `${place} ${row}`)].join("\n");
  const known = knownExchanges.get(item);
  if (known?.key === key) return known.exchange;
  const exchange = exchangeOfInput(reply, at, rowOf(item, 0), before);
  knownExchanges.set(item, { key, exchange });
  return exchange;
}

function exchangeOfInput(
  reply: string,
  at: number,
  row: string,
  before: readonly AssistantText[],
): FoundExchange {
  const stance = stanceOf(reply);
  const last = before.at(-1);
  if (!last) return { at, row, reply, stance, chosen: [] };
  const named = namesOption(reply)
    ? before.slice(-EARLIER_TEXTS).findLast(({ text }) => chosenOptions(text, reply).length > 0)
    : undefined;
  const source = named ?? last;
  const proposal: Proposal = { kind: "words", text: source.text, at: source.at, row: source.row };
  return { at, row, reply, proposal, stance, chosen: chosenIn(source.text, reply) };
}

/** The options that a reply takes by their numbers, or questions with its answers to them. */
export function optionsChosen(proposal: string, reply: string): string[] {
  return chosenOptions(proposal, reply).map(({ option, answer }) =>
    answer === undefined ? plain(option) : `${plain(option)} → ${answer}`,
  );
}

/** The options by their numbers; or what was offered, where the reply agrees to it and asks for nothing else. */
function chosenIn(proposal: string, reply: string) {
  const options = optionsChosen(proposal, reply);
  if (options.length > 0) return options;
  if (!isPureAcceptance(reply)) return [];
  const question = offerIn(proposal);
  if (question !== undefined && isAlternative(question)) return [];
  return [condensed(proposal, ACCEPTED, reply)];
}

/** Characters of a proposal that was accepted as a whole. */
const ACCEPTED = 320;

/** Takes back what was agreed or done just before. */
const reversal =
  /\b(?:revert|undo|undone|roll(?:ed|ing)? (?:it |that |this |them )?back|go(?:ing)? back to|back (?:it|that|this) out|scrap (?:that|it|this)|concede)\b|撤销|回退|还原|改回|退回|(?<![我你他她们计核估推])算了(?!一|算|下|笔|出)/iu;

/** A short request that opens by taking back what was done: "no, revert that", "算了，改回去". A question does not. */
export const takesBack = (request: string): boolean =>
  /^(?:(?:no|nope|ok(?:ay)?|hmm+|actually|please|ah|oh|well|wait|just|let'?s|can you|could you|不|嗯|好)[\s,.!，。—-]*)*(?:(?:revert|undo|roll|go back|back (?:it|that|this) out|scrap)\b|撤销|回退|还原|改回|退回|算了)/iu.test(
    request.trim(),
  ) &&
  request.length <= LONGEST_REVERSAL &&
  !/[?？]\s*$/.test(request);
const LONGEST_REVERSAL = 1_000;

/** Takes something back that was agreed or done before it. A question does not. */
const isReversal = (reply: string) => reversal.test(reply.slice(0, 200)) && !/[?？]\s*$/.test(reply);

/** Reads what both sides said message by message: a history that grew is read from where it ended. */
class DialogueReader {
  items: History = [];
  readonly #exchanges: Exchange[] = [];
  readonly #texts: AssistantText[] = [];
  readonly #closing: AssistantText[] = [];
  /** The assistant's last text, while the user has not spoken since. */
  #spoken: AssistantText | undefined;

  /** Calls are looked up as they are at the end of this history. */
  read(history: History): void {
    const { callOf } = callReaderOf(history);
    for (let at = this.items.length; at < history.length; at++)
      this.#readItem(history[at] as HistoryItem, at, callOf);
    this.items = history;
  }

  dialogue(): Dialogue {
    const texts = [...this.#texts];
    if (this.#spoken) texts[texts.length - 1] = { ...this.#spoken, isClosing: true };
    return { exchanges: [...this.#exchanges], texts };
  }

  #readItem(item: HistoryItem, at: number, callOf: (id: string) => ToolCall | undefined) {
    blocksOf(item.message).forEach((block, index) => {
      if (item.message.role === "assistant") {
        if (!isText(block) || block.text.trim() === "") return;
        this.#spoken = { at, row: rowOf(item, index), text: block.text.trim(), isClosing: false };
        this.#texts.push(this.#spoken);
      } else if (isToolResult(block)) {
        const call = callOf(block.tool_use_id);
        if (call && call.at < at) for (const found of exchangesOfCall(call)) this.#add(found);
      }
    });
    const reply = userWords(item);
    if (reply === "") return;
    const before = this.#spoken ? [...this.#closing.slice(1 - EARLIER_TEXTS), this.#spoken] : [];
    this.#add(exchangeWith(item, reply, at, before));
    this.#close();
  }

  #close() {
    if (!this.#spoken) return;
    const closed = { ...this.#spoken, isClosing: true };
    this.#texts[this.#texts.length - 1] = closed;
    this.#closing.push(closed);
    this.#spoken = undefined;
  }

  /** What is taken back is what was said or done last: the choice in the reply before, or perhaps one of a few replies ago. */
  #add(found: FoundExchange) {
    if (isReversal(found.reply)) {
      const last = this.#exchanges.findLastIndex(
        (one) => one.chosen.length > 0 && one.reversal !== "certain",
      );
      const taken = this.#exchanges[last];
      const distance = this.#exchanges.length - last;
      if (taken && distance <= EARLIER_TEXTS)
        this.#exchanges[last] = { ...taken, reversal: distance === 1 ? "certain" : "possible" };
    }
    this.#exchanges.push(found);
  }
}

const dialogueReaders = new GrowingReaders<HistoryItem, DialogueReader>(() => new DialogueReader());

/** Reads what was added since the last time. */
export function followDialogue(history: History): void {
  dialogueReaders.of(history);
}

/** Everything both sides said, in order. */
export const dialogueOf = (history: History): Dialogue => dialogueReaders.of(history).dialogue();
