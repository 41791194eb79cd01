// The status line among Claude Code's settings: ours, alone or below one that was there, and what was there without ours.
import { isObject, type JsonObject } from "../lib/index.ts";

export const STATUS_LINE = "statusLine";

export interface StatusProgram {
  readonly node: string;
  /** The file of the command line. */
  readonly cli: string;
}

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;
const ownCommand = /^'.+' '.*dist[\\/]cli\.js' statusline(?: --beside '([\s\S]*)')?$/;

/** The command of another status line that ours stands below; undefined where the value is not ours. */
function besideOurs(value: unknown) {
  const command =
    isObject(value) && typeof value.command === "string" ? ownCommand.exec(value.command) : null;
  return command === null ? undefined : (command[1] ?? "").replaceAll("'\\''", "'");
}

/** The value with ours in it, once. */
export function withStatusLine(value: unknown, { node, cli }: StatusProgram): JsonObject {
  const others = isObject(value) ? value : {};
  const beside = besideOurs(value) ?? (typeof others.command === "string" ? others.command : "");
  const command = `${quoted(node)} ${quoted(cli)} statusline`;
  return {
    type: "command",
    ...others,
    command: beside === "" ? command : `${command} --beside ${quoted(beside)}`,
  };
}

/** The value as it would be without ours; undefined where nothing else is in it. */
export function withoutStatusLine(value: unknown): unknown {
  const beside = besideOurs(value);
  if (beside === undefined || !isObject(value)) return value;
  return beside === "" ? undefined : { ...value, command: beside };
}

export const isOwnStatusLine = (value: unknown) => besideOurs(value) !== undefined;
