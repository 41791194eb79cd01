// The rows in which a mod of Claude Code is handed a conversation, turned into messages and back.
import { isObject, type JsonObject } from "../lib/index.ts";
import { type Block, blocksOf, type HistoryItem, type Message, textOf } from "../messages/index.ts";

/** One row as the engine gives it to a mod, and takes it back. */
export interface HostRow {
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly toolUses: readonly {
    readonly tool_use_id: string;
    readonly tool: string;
    readonly input: JsonObject;
  }[];
  readonly toolResults?: readonly {
    readonly tool_use_id: string;
    readonly text: string;
    readonly isError: boolean;
  }[];
  /** The row's own id in the transcript; only on rows that come from the engine. */
  readonly handle?: string;
  /** Its characters, where it came without its content: a long conversation is not sent whole. */
  readonly size?: number;
}

const textIn = (value: unknown): string => (typeof value === "string" ? value : "");
const objectsIn = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Whatever came over the wire; what is no row is left out. */
export function readHostRows(value: unknown): HostRow[] {
  return objectsIn(value).flatMap(({ role, text, toolUses, toolResults, handle, size }): HostRow[] => {
    if (role !== "user" && role !== "assistant") return [];
    const uses = objectsIn(toolUses).map(({ tool_use_id: id, tool, input }) => ({
      tool_use_id: textIn(id),
      tool: textIn(tool),
      input: isObject(input) ? input : {},
    }));
    const results = objectsIn(toolResults).map(({ tool_use_id: id, text: answer, isError }) => ({
      tool_use_id: textIn(id),
      text: textIn(answer),
      isError: isError === true,
    }));
    return [
      {
        role,
        text: textIn(text),
        toolUses: uses,
        ...(results.length === 0 ? {} : { toolResults: results }),
        ...(typeof handle === "string" ? { handle } : {}),
        ...(typeof size === "number" ? { size } : {}),
      },
    ];
  });
}

function blocksOfRow({ text, toolUses, toolResults = [] }: HostRow): Block[] {
  return [
    ...toolResults.map(({ tool_use_id, text: content, isError }) => ({
      type: "tool_result",
      tool_use_id,
      content,
      ...(isError ? { is_error: true } : {}),
    })),
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...toolUses.map(({ tool_use_id: id, tool: name, input }) => ({ type: "tool_use", id, name, input })),
  ];
}

/** A response has a row for each of its blocks, and the results of calls made together one each. */
const belongsTogether = (before: HostRow | undefined, row: HostRow): boolean =>
  before?.role === row.role &&
  (row.role === "assistant" || (before.toolResults !== undefined && row.toolResults !== undefined));

/** The rows as messages, named by the first row of each. Rows without content are left out. */
export function messagesOfRows(rows: readonly HostRow[]): HistoryItem[] {
  const groups: HostRow[][] = [];
  for (const row of rows) {
    const group = groups.at(-1);
    if (group !== undefined && belongsTogether(group.at(-1), row)) group.push(row);
    else groups.push([row]);
  }
  return groups.flatMap((group, at) => {
    const content = group.flatMap(blocksOfRow);
    const [first] = group;
    if (first === undefined || content.length === 0) return [];
    return [{ id: first.handle ?? `row-${at}`, message: { role: first.role, content } }];
  });
}

/** The same; undefined where a row came without its content: nothing may be summed up that is not there. */
export function wholeMessages(rows: readonly HostRow[]): HistoryItem[] | undefined {
  return rows.some(({ size }) => size !== undefined) ? undefined : messagesOfRows(rows);
}

/** One row for a message. It carries no handle: rows with one break resuming. Thinking cannot be handed back. */
export function rowOfMessage(message: Message): HostRow | undefined {
  if (message.role === "system") return undefined;
  const blocks = blocksOf(message);
  const toolUses = blocks.flatMap(({ type, id, name, input }) =>
    type === "tool_use"
      ? [{ tool_use_id: textIn(id), tool: textIn(name), input: isObject(input) ? input : {} }]
      : [],
  );
  const toolResults = blocks.flatMap(({ type, tool_use_id: id, content, is_error }) =>
    type === "tool_result"
      ? [{ tool_use_id: textIn(id), text: textOf(content), isError: is_error === true }]
      : [],
  );
  const text = textOf(blocks);
  if (text === "" && toolUses.length === 0 && toolResults.length === 0) return undefined;
  return { role: message.role, text, toolUses, ...(toolResults.length === 0 ? {} : { toolResults }) };
}
