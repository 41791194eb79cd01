// Classifies a row of a session by how it begins and ends: what the user said, prose, a shell call, failing output, or the rest.

export const rowClasses = [
  "user",
  "pasted",
  "prose",
  "brief",
  "shell",
  "failure",
  "failed-shell",
  "other",
] as const;

/**
 * `user`: words of the user. `pasted`: a long text from the user. `prose`: answers, summaries, observations. `brief`: announces what comes next. `shell`: a call of a shell, with
 * or without its output. `failure`: output that reports an error; `failed-shell` has both. `other`: files, edits, lists, quiet output.
 */
export type RowClass = (typeof rowClasses)[number];

/** `Bash {"command":…}` and `Bash command=…`: the name of a tool and its arguments. */
const call = /^([A-Z][A-Za-z]+|[a-z]+(?:_[a-z]+)*|mcp__\S+) (?:\{"|\w+=)/;
const shells =
  /^(?:bash|shell|powershell|terminal|local_shell|exec_command|execute_command|run_(?:terminal_cmd|shell_command|command))$/i;

const failing =
  /\bFAIL(?:ED|URE)?\b|\bpanic:|\berrors?\b|\bfatal:|\bexit (?:code|status) [1-9]|\bundefined:|\bnot found\b|\bCONFLICT\b|[✗✘]|\bunknown\b|\bTraceback\b|\bException\b|错误|失败/i;
/** A file as it was read or searched, with the numbers of its lines. A compiler's error has two numbers. */
const numberedLines = /^\s*(?:[^\s:]+:)?\d+[→\t|:-](?!\d)/;
const confirmation = /^.{0,250}(?:has been (?:updated|created)|(?:updated|created|modified) successfully)/i;
const LONGEST_BRIEF = 240;
/** What is longer was pasted or generated: a log, a plan, a report. */
const LONGEST_TYPED = 1_000;
const announcing =
  /[:：]\s*$|^(?:now|let me|let's|i'll|good|great|perfect|next)\b|^(?:现在|让我|我来|接下来|好的)/i;

function outputClass(text: string): RowClass {
  const isQuiet = numberedLines.test(text) || confirmation.test(text);
  return !isQuiet && failing.test(text) ? "failure" : "other";
}

function callClass(name: string, output: string): RowClass {
  if (!shells.test(name)) return "other";
  return output !== "" && outputClass(output) === "failure" ? "failed-shell" : "shell";
}

/** Of observations and summaries the speaker is empty; a prompt's is `user`. */
export function rowClassOf(speaker: string, text: string): RowClass {
  if (speaker === "user") return text.length > LONGEST_TYPED || text.startsWith("<") ? "pasted" : "user";
  const name = call.exec(text)?.[1];
  if (speaker === "tool") {
    const lineEnd = text.indexOf("\n");
    return name === undefined
      ? outputClass(text)
      : callClass(name, lineEnd === -1 ? "" : text.slice(lineEnd + 1));
  }
  if (speaker !== "assistant") return "prose";
  if (name !== undefined) return callClass(name, "");
  return text.length < LONGEST_BRIEF && announcing.test(text) ? "brief" : "prose";
}
