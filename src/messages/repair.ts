// Repairs a message array that the API would refuse, message by message, or says what cannot be repaired.
import { ThroughlineError } from "../lib/index.ts";
import { check, type Violation } from "./check.ts";
import { type Block, blocksOf, isThinking, type Message } from "./model.ts";

/** Something that had to be mended in a conversation. */
export interface Repair {
  /** Index in the array the client sent. */
  readonly message: number;
  readonly what: string;
  /** What was taken out, for the vault. */
  readonly removed?: readonly Block[];
}

/** Violations that are not ours to mend, each with what the caller can do. */
const refusedViolations: Readonly<Partial<Record<Violation["code"], string>>> = {
  "no-messages": "send at least one message",
  "unknown-role": "use the roles user, assistant and system",
  "bad-content": "send content as a string or as blocks with a type",
  "first-role": "begin with the user's message",
};

/**
 * Gives the array as it can be sent. Each repair looks only at its own message and its direct neighbours, so that
 * the repaired beginning stays the same while the conversation grows. Throws `invalid-history` for the rest.
 */
export function repair(messages: readonly Message[]): {
  readonly messages: readonly Message[];
  /** For each message the index it came from; undefined for one that was put in. */
  readonly sources?: readonly (number | undefined)[];
  readonly repairs: readonly Repair[];
} {
  const found = check(messages, { allowPrefill: true });
  if (found.length === 0) return { messages, repairs: [] };
  const fatal = found.find(({ code }) => code in refusedViolations);
  if (fatal) {
    throw new ThroughlineError(
      "invalid-history",
      `message ${fatal.message}: ${fatal.meaning}`,
      refusedViolations[fatal.code] ?? "",
    );
  }
  const repairs: Repair[] = [];
  const { messages: mended, sources } = mend(messages, repairs);
  const left = check(mended, { allowPrefill: true }).find(
    ({ code, message }) => code !== "too-large" && !isOpenEnd(mended, code, message),
  );
  if (left) {
    throw new ThroughlineError(
      "invalid-history",
      `message ${left.message}: ${left.meaning} (${left.code})`,
      "send the conversation as the API gave it; this cannot be repaired without losing something",
    );
  }
  return { messages: mended, sources, repairs };
}

/** A call at the very end is not broken but open: its result is still to come. */
export function isOpenEnd(messages: readonly Message[], code: Violation["code"], at: number) {
  return code === "tool-use-unanswered" && messages.slice(at).every(({ role }) => role === "assistant");
}

function mend(messages: readonly Message[], repairs: Repair[]) {
  const out: Message[] = [];
  const sources: (number | undefined)[] = [];
  messages.forEach((message, at) => {
    const asked = callIdsBefore(messages, at);
    const given = message.role === "user" ? resultIds(runOf(messages, "user", at - 1, -1)) : new Set();
    const removed: Block[] = [];
    const kept = blocksOf(message).filter((block) => {
      const bad =
        isEmptyText(block) ||
        isUnsigned(block) ||
        isOrphan(block, message, asked) ||
        isRepeated(block, given);
      if (bad) removed.push(block);
      return !bad;
    });
    const blocks = withoutTrailingThinking(messages, at, kept, removed);
    if (removed.length > 0)
      repairs.push({
        message: at,
        what: `left out ${[...new Set(removed.map(({ type }) => type))].join(", ")}`,
        removed,
      });
    if (blocks.length > 0 || (message.role === "system" && removed.length === 0)) {
      out.push(removed.length === 0 ? message : { ...message, content: resultsFirst(blocks) });
      sources.push(at);
    } else if (removed.length === 0) repairs.push({ message: at, what: "left out an empty message" });
    const open = at < messages.length - 1 ? unansweredCalls(messages, at) : [];
    if (open.length > 0) {
      repairs.push({ message: at, what: `answered ${open.length} calls that have no result` });
      out.push({ role: "user", content: open.map(noResult) });
      sources.push(undefined);
    }
  });
  return { messages: out, sources };
}

const isEmptyText = (block: Block) =>
  block.type === "text" && (typeof block.text !== "string" || block.text === "");

function isOrphan(block: Block, message: Message, asked: ReadonlySet<unknown>) {
  return block.type === "tool_result" && (message.role !== "user" || !asked.has(block.tool_use_id));
}

/** An interrupted response leaves thinking that was never signed; the API refuses it. */
function isUnsigned(block: Block) {
  if (!isThinking(block)) return false;
  const seal = block.type === "thinking" ? block.signature : block.data;
  return typeof seal !== "string" || seal === "";
}

/** The first answer to a call stands. Notes each answer in `given`. */
function isRepeated(block: Block, given: Set<unknown>) {
  if (block.type !== "tool_result") return false;
  const isSecond = given.has(block.tool_use_id);
  given.add(block.tool_use_id);
  return isSecond;
}

/** At the very end too: an interrupted session may end with thinking, and its next request must not. */
function withoutTrailingThinking(
  messages: readonly Message[],
  at: number,
  blocks: readonly Block[],
  removed: Block[],
) {
  if (messages[at]?.role !== "assistant") return blocks;
  for (let next = at + 1; messages[next]?.role === "assistant"; next++) {
    const isOnlyThinking = blocksOf(messages[next] as Message).every(
      (one) => isThinking(one) || isEmptyText(one),
    );
    if (!isOnlyThinking) return blocks;
  }
  const end = blocks.findLastIndex((block) => !isThinking(block)) + 1;
  removed.push(...blocks.slice(end));
  return blocks.slice(0, end);
}

/** Results before everything else. */
function resultsFirst(blocks: readonly Block[]) {
  const results = blocks.filter(({ type }) => type === "tool_result");
  return results.length === 0 ? blocks : [...results, ...blocks.filter(({ type }) => type !== "tool_result")];
}

/** Blocks of the messages in a row that have this role, from an index on in a direction, in their order. */
function runOf(messages: readonly Message[], role: Message["role"], from: number, step: 1 | -1) {
  let end = from;
  while (messages[end]?.role === role) end += step;
  return (step === 1 ? messages.slice(from, end) : messages.slice(end + 1, from + 1)).flatMap(blocksOf);
}

const resultIds = (blocks: readonly Block[]) =>
  new Set(blocks.filter(({ type }) => type === "tool_result").map(({ tool_use_id }) => tool_use_id));

const isToolUseBlock = ({ type }: Block) => type === "tool_use";

/** Ids of the calls in the assistant messages right before this message's run. */
function callIdsBefore(messages: readonly Message[], at: number) {
  let before = at - 1;
  while (messages[before]?.role === "user") before--;
  return new Set(
    runOf(messages, "assistant", before, -1)
      .filter(isToolUseBlock)
      .map(({ id }) => id),
  );
}

/** Calls of a run of assistant messages that ends here, and that the user messages right behind do not answer. */
function unansweredCalls(messages: readonly Message[], at: number) {
  if (messages[at]?.role !== "assistant" || messages[at + 1]?.role === "assistant") return [];
  const answered = resultIds(runOf(messages, "user", at + 1, 1));
  return runOf(messages, "assistant", at, -1).filter(
    (block) => isToolUseBlock(block) && !answered.has(block.id),
  );
}

function noResult(call: Block): Block {
  return {
    type: "tool_result",
    tool_use_id: call.id,
    content: "[no result was recorded for this call]",
    is_error: true,
  };
}
