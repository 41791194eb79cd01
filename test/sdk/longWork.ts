// The model's side of a long piece of work, and the tools of an agent that does it: deterministic, in any number of turns.
import { sha256 } from "../../src/lib/index.ts";
import {
  type ApiRequest,
  compacted,
  type Reply,
  type Responder,
  say,
  type ToolCall,
  tool,
  use,
} from "../scripted-api/index.ts";

export interface WorkOptions {
  /** Calls that the model makes in a turn before it answers. */
  readonly calls: number;
  /** Sentences in the answer that ends a turn: words are never cleared, and fill a window in the end. Default 24. */
  readonly sentences?: number;
  /** The call of a step; a page of a part without it. */
  readonly call?: (turn: number, step: number) => ToolCall;
  /** The model thinks before every answer. */
  readonly thinks?: boolean;
  /** In these turns the model asks for the first handle that it sees. */
  readonly recallsEvery?: number;
  readonly before?: (request: ApiRequest, turn: number, step: number) => void | Promise<void>;
}

/** What a user says in a turn. */
export const promptOf = (turn: number): string =>
  `[turn ${turn}] Look into part ${turn} of the service and say what it does.`;

/** The model's side: in every turn some calls, then an answer; a summary or notes where they are asked for. */
export function longWork(options: WorkOptions): Responder {
  const { thinks = false, before } = options;
  let [turn, step] = [0, 0];
  return (request) => {
    if (request.body.compaction !== undefined) return compacted(nineSections(turn));
    if (isSummaryRequest(request)) return say(nineSections(turn));
    const asked = Math.max(
      0,
      ...[...request.news.matchAll(/\[turn (\d+)\]/g)].map(([, digits]) => Number(digits)),
    );
    [turn, step] = asked > turn ? [asked, 0] : [turn, step + 1];
    const reply = stepOf(request, turn, step, options);
    return {
      ...reply,
      ...(thinks ? { thinking: `about step ${step} of turn ${turn}` } : {}),
      before: () => before?.(request, turn, step),
    };
  };
}

function stepOf(
  request: ApiRequest,
  turn: number,
  step: number,
  { calls, recallsEvery = 0, sentences = 24, call = readCall }: WorkOptions,
): Reply {
  if (step >= calls) return say(answerOf(turn, sentences));
  const handle = /tl:[0-9a-f]{12}/.exec(JSON.stringify(request.messages))?.[0];
  if (recallsEvery > 0 && turn % recallsEvery === 0 && step === 0 && handle)
    return use(tool("recall", { handle, lines: "1-5" }));
  return use(call(turn, step));
}

const readCall = (turn: number, step: number) => tool("read_part", { part: turn, page: step });

function answerOf(turn: number, count: number) {
  const said = Array.from({ length: count }, (_, at) => {
    const name = sha256(`${turn} ${at}`).slice(0, 12);
    return `Function ${name} of part ${turn} reads its table, checks entry ${at} and hands the rest to the next one.`;
  });
  return said.join(" ");
}

/** The same words as the compaction of any client: the last message asks for a block of this name. */
const isSummaryRequest = ({ news }: ApiRequest) => news.includes("<summary>") && news.includes("<analysis>");

const sections = [
  "Primary Request and Intent",
  "Key Technical Concepts",
  "Files and Code Sections",
  "Errors and fixes",
  "Problem Solving",
  "All user messages",
  "Pending Tasks",
  "Current Work",
  "Optional Next Step",
];

function nineSections(turn: number) {
  const body = sections.map((name, at) => `${at + 1}. ${name}:\n   - as of turn ${turn}: ${promptOf(turn)}`);
  return `<analysis>all of it</analysis>\n<summary>\n${body.join("\n")}\n</summary>`;
}

/** A page of a source file that does not exist; some pages are long. */
export function readPart(input: unknown): string {
  const { part, page } = input as { part: number; page: number };
  const lines = Array.from({ length: (part + page) % 7 === 0 ? 260 : 40 }, (_, line) => {
    const name = sha256(`${part}.${page}.${line}`).slice(0, 10);
    return `${line + 1}  export const part_${part}_${name} = compute("${name}", ${part * page + line});`;
  });
  return lines.join("\n");
}

export const readPartTool = {
  name: "read_part",
  description: "Read a page of a part of the service.",
  input_schema: {
    type: "object" as const,
    properties: { part: { type: "integer" }, page: { type: "integer" } },
    required: ["part", "page"],
  },
};
