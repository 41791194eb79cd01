// What a tool call was given, which file it works on, and how it ended.
import { isObject } from "../lib/index.ts";
import { type ToolPair, textOf } from "../messages/index.ts";
import type { FileAction, Outcome } from "./model.ts";

export function inputOf(pair: ToolPair): Readonly<Record<string, unknown>> {
  return isObject(pair.use.input) ? pair.use.input : {};
}

/** The first of these fields that holds a text. */
export function textField(pair: ToolPair, ...names: readonly string[]): string | undefined {
  const input = inputOf(pair);
  for (const name of names) {
    const value = input[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

const actions: Readonly<Record<string, FileAction>> = {
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
export function fileOfCall(
  pair: ToolPair,
): { readonly path: string; readonly action: FileAction } | undefined {
  const action = Object.hasOwn(actions, pair.name) ? actions[pair.name] : undefined;
  const path = textField(pair, "file_path", "notebook_path", "path");
  return action && path ? { path, action } : undefined;
}

const shells = new Set(["Bash", "bash", "shell", "PowerShell"]);

export const isShell = ({ name }: ToolPair): boolean => shells.has(name);

/** How a shell tool reports that a command failed. */
export const exitCode = /^(?:Exit code|Command failed with exit code|exit status)\s*:?\s*(\d+)/im;

export function outcomeOf(pair: ToolPair): Outcome {
  if (!pair.result) return "open";
  if (pair.result.is_error === true) return "failed";
  const code = exitCode.exec(textOf(pair.result.content))?.[1];
  return code !== undefined && code !== "0" ? "failed" : "ok";
}
