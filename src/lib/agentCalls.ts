// Tool calls of agents beside Claude Code under Claude Code's names, so that one reader understands them all.
import path from "node:path";
import type { JsonObject } from "./json.ts";

/** A call with its input in Claude Code's terms. */
interface NamedCall {
  readonly name: string;
  readonly input: JsonObject;
}

const shells = new Set(["bash", "shell", "exec", "run_shell_command", "execute_command", "run_commands"]);
const readers = new Set(["read", "read_file", "view"]);
const writers = new Set(["write", "write_file", "write_to_file", "create", "create_file"]);
const editors = new Set(["edit", "replace", "str_replace", "replace_in_file", "editor"]);

const firstText = (input: JsonObject, ...names: readonly string[]) => {
  const found = names.map((name) => input[name]).find((value) => typeof value === "string");
  return typeof found === "string" ? found : undefined;
};

const commandOf = (input: JsonObject) => {
  const { commands } = input;
  if (Array.isArray(commands)) return commands.filter((one) => typeof one === "string").join("\n");
  return firstText(input, "command", "cmd");
};

function fileOf(input: JsonObject, cwd: string | undefined) {
  const file = firstText(input, "file_path", "filePath", "path", "absolute_path", "target_file");
  return file === undefined || cwd === undefined ? file : path.resolve(cwd, file);
}

/** The old and the new text of an edit; several edits of one call are joined. */
function changeOf(input: JsonObject) {
  const { edits } = input;
  const list = Array.isArray(edits) && edits.length > 0 ? (edits as readonly JsonObject[]) : [input];
  const all = (...names: readonly string[]) =>
    list.flatMap((edit) => firstText(edit ?? {}, ...names) ?? []).join("\n");
  return {
    old_string: all("old_string", "oldString", "oldText", "old_str"),
    new_string: all("new_string", "newString", "newText", "new_str"),
  };
}

/** A call that does not do what one of Claude Code's tools does keeps its name and input. */
export function callInOurTerms(name: string, input: JsonObject, cwd?: string): NamedCall {
  const kind = name.toLowerCase();
  const command = shells.has(kind) ? commandOf(input) : undefined;
  if (command !== undefined) return { name: "Bash", input: { command } };
  const file = fileOf(input, cwd);
  if (file === undefined) return { name, input };
  if (readers.has(kind)) return { name: "Read", input: { file_path: file } };
  const content = firstText(input, "content", "file_text");
  if (writers.has(kind) && content !== undefined)
    return { name: "Write", input: { file_path: file, content } };
  return editors.has(kind)
    ? { name: "Edit", input: { file_path: file, ...changeOf(input) } }
    : { name, input };
}

const exitCodes = [
  /\n*\s*Command exited with code (-?\d+)\s*$/,
  /\n*\s*Exit Code: (-?\d+)\s*$/i,
  /\n*<exited with exit code (-?\d+)>\s*$/,
];

/** What a shell printed, with the exit code in front, where Claude Code has it. */
export function shellError(text: string): string {
  for (const pattern of exitCodes) {
    const found = pattern.exec(text);
    if (found) return `Exit code ${found[1]}\n${text.slice(0, found.index)}`;
  }
  return text;
}
