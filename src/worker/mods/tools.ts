// The tools that the mod offers to the model: recall what left the window, and search what is remembered.
import { isObject, type JsonObject, projectOf, ThroughlineError } from "../../lib/index.ts";
import { recall, recallSession, type Selection, type Vault } from "../../vault/index.ts";
import type { Memory } from "../memory.ts";
import { type Asker, type ModsOp, text } from "./model.ts";
import type { OpenWindow } from "./windows.ts";

export interface ToolOffer {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

interface ToolText {
  readonly text: string;
  readonly isError?: true;
}

/** Characters of an answer; whoever wants more asks for lines. */
const LONGEST_ANSWER = 100_000;
const MATCH_CONTEXT = 2;

const textField = (description: string): JsonObject => ({ type: "string", description });

export const toolOffers: readonly ToolOffer[] = [
  {
    name: "recall",
    description:
      "Gives back, byte for byte, what was taken out of this conversation: an output that is shown as a preview, or what a compaction summed up. Takes a handle (tl:…) or a tool_use_id; with a pattern it searches, with lines it gives a part. Without a handle the pattern is looked for in everything that left this conversation.",
    inputSchema: {
      type: "object",
      properties: {
        handle: textField("a handle such as tl:3f9a0c12b7de, or a tool_use_id"),
        lines: textField("only these lines, as in 40-80, counted from 1"),
        pattern: textField("a regular expression: only lines that match it, with two lines around each"),
      },
    },
  },
  {
    name: "search",
    description:
      "Finds what was learned, said and done in earlier sessions of this project. Answers with references (#12, S3) and a line each.",
    inputSchema: {
      type: "object",
      properties: { query: textField("words to look for") },
      required: ["query"],
    },
  },
];

function selectionOf(input: JsonObject): Selection {
  const pattern = text(input.pattern);
  if (pattern !== undefined) return { pattern, context: MATCH_CONTEXT };
  const match = /^(\d+)(?:-(\d+))?$/.exec(text(input.lines) ?? "");
  return match ? { lines: [Number(match[1]), Number(match[2] ?? match[1])] } : {};
}

function shortened(whole: string): string {
  if (whole.length <= LONGEST_ANSWER) return whole;
  const lines = whole.split("\n").length;
  return `${whole.slice(0, LONGEST_ANSWER)}\n[… ${whole.length - LONGEST_ANSWER} more characters of ${lines} lines; ask for lines]`;
}

function recalled(vault: Vault, session: string, input: JsonObject): ToolText {
  const handle = text(input.handle);
  if (handle !== undefined)
    return { text: shortened(Buffer.from(recall(vault, handle, selectionOf(input)).bytes).toString("utf8")) };
  const pattern = text(input.pattern);
  if (pattern === undefined) return { text: "recall takes a handle, a pattern, or both", isError: true };
  const { matches } = recallSession(vault, session, { pattern, context: MATCH_CONTEXT });
  const lines = matches.map(({ handle: found, line, text: words }) => `${found}:${line}: ${words}`);
  return { text: lines.length === 0 ? "no match" : shortened(lines.join("\n")) };
}

async function searched(memory: Memory, { project }: Asker, input: JsonObject): Promise<ToolText> {
  const query = text(input.query);
  if (query === undefined) return { text: "search takes a query", isError: true };
  return {
    text: shortened(
      JSON.stringify(await memory.search({ query, projects: [projectOf(project).id] }), null, 1),
    ),
  };
}

/** Asked with `{ name, input }`; answers `{ text }`, and `isError` for a request that could not be met. */
export function toolOp(openWindow: OpenWindow, memory: Memory): ModsOp {
  return async (asker, { name, input: given }) => {
    const input = isObject(given) ? given : {};
    try {
      if (name === "recall") {
        const { session } = openWindow(asker);
        return recalled(session.vault, session.id, input);
      }
      return name === "search" ? await searched(memory, asker, input) : undefined;
    } catch (error) {
      if (!(error instanceof ThroughlineError)) throw error;
      return { text: [error.message, error.fix].filter(Boolean).join("; "), isError: true };
    }
  };
}
