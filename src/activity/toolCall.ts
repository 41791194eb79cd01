// A tool call in one shape, whether it was read from messages or from captured events.
import { defined, GrowingReaders, isObject, type JsonObject } from "../lib/index.ts";
import {
  type Block,
  blocksOf,
  type History,
  type HistoryItem,
  isToolResult,
  isToolUse,
  type ToolPair,
  textOf,
} from "../messages/index.ts";

/**
 * `refused`: the user did not allow the call. It was not carried out, and did not fail either.
 * `open`: no result is known, or the call was dropped.
 */
export type Outcome = "ok" | "failed" | "refused" | "open";

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  /** The readable part of the result; empty while the call is open. */
  readonly output: string;
  readonly outcome: Outcome;
  /** Index of the message or event that made the call. */
  readonly at: number;
  /** Ids of the rows that hold the call and its result. */
  readonly row: string;
  readonly resultRow?: string;
}

/** How Claude Code reports that the user stopped a call. */
const refusal =
  /^(?:The user doesn't want to proceed|The user doesn't want to take this action|The user rejected|(?:Exit code \d+\s+)?\[?Request interrupted)/;
/** How a shell tool reports that a command failed. */
export const exitCode = /^(?:Exit code|Command failed with exit code|exit status)\s*:?\s*(\d+)/im;
/** Every spelling has it: most outputs do not, and are not searched line by line. */
const mayTellExit = (output: string) => output.includes("xit ") || output.includes("XIT ");

/** A call that was not carried out because one beside it failed. */
const dropped = /^<tool_use_error>(?:Sibling tool call errored|Cancelled)/;

function outcomeOfResult(output: string, isError: boolean): Outcome {
  if (refusal.test(output)) return "refused";
  if (dropped.test(output)) return "open";
  if (isError) return "failed";
  const code = mayTellExit(output) ? exitCode.exec(output)?.[1] : undefined;
  return code !== undefined && code !== "0" ? "failed" : "ok";
}

/** The id of the row that a block was read from: clients write a row a block, and readers merge them into messages. */
export function rowOf(item: HistoryItem | undefined, block: number): string {
  return item?.uuids?.[block] ?? item?.id ?? "";
}

/** Reads calls message by message: a history that grew is read from where it ended. */
class CallReader {
  items: History = [];
  readonly calls: ToolCall[] = [];
  /** By id: where the call stands among the others, and what is known of it. */
  readonly #pairs = new Map<string, { readonly index: number; pair: ToolPair }>();

  readonly callOf = (id: string) => this.calls[this.#pairs.get(id)?.index ?? -1];

  read(history: History): void {
    for (let item = this.items.length; item < history.length; item++)
      blocksOf((history[item] as HistoryItem).message).forEach((block, index) => {
        this.#readBlock(history, block, { item, block: index });
      });
    this.items = history;
  }

  #readBlock(history: History, block: Block, place: ToolPair["useAt"]) {
    if (isToolUse(block)) {
      const { id, name } = block;
      if (this.#pairs.has(id)) return;
      const pair = { id, name, use: block, useAt: place };
      this.#pairs.set(id, { index: this.calls.length, pair });
      this.calls.push(knownCall(history, pair));
    } else if (isToolResult(block)) {
      const known = this.#pairs.get(block.tool_use_id);
      if (!known || known.pair.result) return;
      known.pair = { ...known.pair, result: block, resultAt: place };
      this.calls[known.index] = knownCall(history, known.pair);
    }
  }
}

const callReaders = new GrowingReaders<HistoryItem, CallReader>(() => new CallReader());

/** The calls of this history, in order and by id; only until the next history is read. */
export const callReaderOf = (history: History): Pick<CallReader, "calls" | "callOf"> =>
  callReaders.of(history);

/** Every call of a history with its result. A call is the same object as long as its messages are. */
export const callsIn = (history: History): ToolCall[] => [...callReaders.of(history).calls];

function knownCall(history: History, pair: ToolPair) {
  const at = pair.useAt.item;
  const row = rowOf(history[at], pair.useAt.block);
  const resultRow = pair.resultAt && rowOf(history[pair.resultAt.item], pair.resultAt.block);
  const knownCalls = pair.result ? answeredCalls : openCalls;
  const known = knownCalls.get(pair.use);
  const isKnown = known?.call.at === at && known.call.row === row && known.call.resultRow === resultRow;
  if (isKnown && known.result === pair.result) return known.call;
  const call = callOf(pair, at, row, resultRow);
  knownCalls.set(pair.use, { call, result: pair.result });
  return call;
}

interface KnownCall {
  readonly call: ToolCall;
  readonly result: ToolPair["result"];
}

/** Apart, because every reader meets a call before its result: what was read of the answered one stays. */
const answeredCalls = new WeakMap<object, KnownCall>();
const openCalls = new WeakMap<object, KnownCall>();

function callOf(
  { id, name, use, result }: ToolPair,
  at: number,
  row: string,
  resultRow: string | undefined,
): ToolCall {
  const output = textOf(result?.content);
  return {
    id,
    name,
    input: isObject(use.input) ? use.input : {},
    output,
    outcome: result ? outcomeOfResult(output, result.is_error === true) : "open",
    at,
    row,
    ...defined({ resultRow }),
  };
}

/** The first of these fields of the input that holds a text. */
export function textField({ input }: Pick<ToolCall, "input">, ...names: readonly string[]) {
  for (const name of names) {
    const value = input[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

export type FileAction = "read" | "edited" | "written";

const fileActions: Readonly<Record<string, FileAction>> = {
  Read: "read",
  NotebookRead: "read",
  read: "read",
  view: "read",
  Edit: "edited",
  MultiEdit: "edited",
  NotebookEdit: "edited",
  edit: "edited",
  Write: "written",
  write: "written",
};

/** The file a call works on, if it is one of the tools that do. */
export function fileOfCall(call: Pick<ToolCall, "name" | "input">) {
  const action = Object.hasOwn(fileActions, call.name) ? fileActions[call.name] : undefined;
  const path = textField(call, "file_path", "notebook_path", "path");
  return action && path ? { path, action } : undefined;
}

const shells = new Set(["Bash", "bash", "shell", "PowerShell"]);

/** The command line of a call of a shell. */
export const commandOf = (call: Pick<ToolCall, "name" | "input">) =>
  shells.has(call.name) ? textField(call, "command") : undefined;

/** What is read of a captured event. */
export interface CapturedEvent {
  readonly id: string;
  readonly kind: string;
  readonly payload: JsonObject;
}

const textIn = (value: unknown) => (typeof value === "string" ? value : "");

/** None, where the event is no call. A call is named by its event's id. */
export function callOfEvent({ id, kind, payload }: CapturedEvent, at: number): ToolCall[] {
  if (kind !== "tool" && kind !== "tool-failure") return [];
  const isFailure = kind === "tool-failure";
  const output = isFailure ? textIn(payload.error) : responseText(payload.tool_response);
  return [
    {
      id,
      name: textIn(payload.tool_name) || "tool",
      input: isObject(payload.tool_input) ? payload.tool_input : {},
      output,
      outcome: outcomeOfResult(output, isFailure),
      at,
      row: id,
    },
  ];
}

/** The readable part of whatever a tool gave back. */
function responseText(response: unknown): string {
  if (typeof response === "string") return response;
  if (Array.isArray(response)) return response.map(responseText).filter(Boolean).join("\n");
  if (!isObject(response)) return "";
  const { file, filenames } = response;
  const said = [
    response.stdout,
    response.stderr,
    response.text,
    response.result,
    response.output,
    response.message,
  ];
  if (isObject(file)) said.push(file.content);
  // Written files answer with what they were given; whether there was one before is all that is new.
  else if (textIn(response.filePath) !== "") said.push(response.type === "create" ? "created" : "updated");
  else said.push(response.content);
  if (Array.isArray(filenames)) said.push(filenames.filter((name) => typeof name === "string").join("\n"));
  if (isObject(response.answers))
    said.push(
      Object.entries(response.answers)
        .map(([question, answer]) => `"${question}"="${textIn(answer)}"`)
        .join(", "),
    );
  return said.map(responseText).filter(Boolean).join("\n");
}
