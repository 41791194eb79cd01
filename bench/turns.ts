// At every row of recorded sessions at which a turn had ended: does anything say that its request is unfinished?
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { readActivity, statementsOf } from "../src/activity/index.ts";
import { howToGoOn } from "../src/compact/index.ts";
import { isObject, type JsonObject, parseJson, sumOf } from "../src/lib/index.ts";
import { type Bench, UsageError } from "./bench.ts";
import { sessionUpTo, snapshotOf, windowOf } from "./cutSession.ts";
import { transcriptsIn } from "./transcripts.ts";

/** What is written when a request is open. The rest of a text is quoted, and may say anything. */
const openWordings = [
  ...(["in-turn", "new-message"] as const).map((point) => howToGoOn({ point })),
  "The request that is still open:",
  "The user's latest message: ",
  "尚未完成的请求:",
];

const textOf = (content: unknown): string => {
  if (typeof content === "string") return content;
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  return blocks.flatMap(({ text }) => (typeof text === "string" ? [text] : [])).join("\n");
};

const hasBlock = (content: unknown, types: readonly string[]): boolean =>
  Array.isArray(content) && content.some((block) => isObject(block) && types.includes(String(block.type)));

/** Of a row, as the recording has it: what speaks for the end of a turn. The product's own reader is not asked. */
function kindOf(row: JsonObject): "typed" | "spoken" | "working" | "ended" | "other" {
  if (row.type === "system")
    return row.subtype === "turn_duration" || row.subtype === "stop_hook_summary" ? "ended" : "other";
  const message = isObject(row.message) ? row.message : {};
  const { role, content } = message;
  const text = textOf(content).trim();
  // An error of the API ends nothing: what was asked for is open.
  if (row.isApiErrorMessage === true || message.stopReason === "error") return "other";
  if (row.isSidechain === true || row.isMeta === true || row.isCompactSummary === true) return "other";
  // Thinking alone says nothing yet, but where the client notes that it was broken off.
  const isThinking =
    Array.isArray(content) &&
    content.length > 0 &&
    content.every((one) => isObject(one) && one.type === "thinking");
  if (role === "assistant" && isThinking) return message.stopReason === "aborted" ? "ended" : "working";
  if (role === "assistant") return hasBlock(content, ["tool_use", "toolCall"]) ? "working" : "spoken";
  if (role !== "user" || hasBlock(content, ["tool_result"])) return role === undefined ? "other" : "working";
  if (text.startsWith("[Request interrupted by user")) return "ended";
  return text === "" || /^<|^Caveat:|^This session is being continued/.test(text) ? "other" : "typed";
}

/** Numbers of the rows behind which a turn is over: the client says so, or the user speaks next to an assistant that spoke last. */
export function endedAt(rows: readonly JsonObject[]): number[] {
  const ends: number[] = [];
  const kinds = rows.map(kindOf);
  kinds.forEach((kind, at) => {
    const next = kinds.slice(at + 1).find((one) => one !== "other" && one !== "ended");
    const isLast = next === undefined || next === "typed";
    if (isLast && (kind === "ended" || kind === "spoken")) ends.push(at);
  });
  return ends;
}

interface CutResult {
  readonly cut: number;
  readonly request: string;
  /** What says that the request is open. */
  readonly problems: readonly string[];
}

interface Arguments {
  readonly files: readonly string[];
  /** Windows and snapshots are made at every so-manieth cut: statements are read at all of them. */
  readonly every: number;
  /** Where the texts are written, to be read by a person. */
  readonly out?: string;
}

function argumentsOf(args: readonly string[]): Arguments {
  const option = (name: string) => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
  const every = Number(option("texts") ?? 10);
  const out = option("out");
  if (!(every >= 1)) throw new UsageError();
  return { files: transcriptsIn(args), every, ...(out !== undefined && { out }) };
}

async function resultAt(
  file: string,
  cut: number,
  { withTexts, out }: { readonly withTexts: boolean; readonly out?: string | undefined },
  folder: string,
): Promise<CutResult> {
  const items = await sessionUpTo({ file, cut, summary: false }, folder);
  const activity = readActivity(items);
  const { lastRequest } = activity;
  const { next } = statementsOf(activity);
  const problems = next
    .filter(({ rows, by }) => by === "agent" || (lastRequest && rows.includes(lastRequest.row)))
    .map(({ text }) => `next: ${text}`);
  if (withTexts) {
    const { digest } = await snapshotOf(items, folder);
    const texts = { window: windowOf(items), digest };
    for (const [name, text] of Object.entries(texts)) {
      problems.push(
        ...openWordings
          .filter((wording) => `\n${text}`.includes(`\n${wording}`))
          .map((wording) => `${name}: ${wording}`),
      );
      if (out !== undefined)
        writeFileSync(path.join(out, `${path.basename(file, ".jsonl")}-${cut}.${name}.txt`), text);
    }
  }
  return { cut, request: lastRequest?.text ?? "", problems };
}

export const bench: Bench = {
  name: "turns",
  measures: ["src/activity", "src/snapshot", "src/compact"],
  about: "Wherever a turn of a recorded session had ended: how often is its request said to be unfinished?",
  usage: "FILE|DIR… [--texts=EVERY] [--out=DIR]",
  async run(args) {
    const { files, every, out } = argumentsOf(args);
    if (out !== undefined) mkdirSync(out, { recursive: true });
    const folder = mkdtempSync(path.join(tmpdir(), "turns-"));
    const rows: {
      readonly session: string;
      readonly "ended turns": number;
      "read texts": number;
      open: number;
    }[] = [];
    const found: string[] = [];
    let count = 0;
    try {
      for (const file of files) {
        const lines = readFileSync(file, "utf8").split("\n");
        const cuts = endedAt(lines.map((line) => parseJson(line)).map((row) => (isObject(row) ? row : {})));
        const row = { session: path.basename(file), "ended turns": cuts.length, "read texts": 0, open: 0 };
        for (const cut of cuts) {
          const withTexts = count++ % every === 0;
          const { problems, request } = await resultAt(file, cut, { withTexts, out }, folder);
          row["read texts"] += Number(withTexts);
          row.open += Number(problems.length > 0);
          for (const problem of problems)
            found.push(`${row.session} row ${cut}: ${problem} (asked: ${request.slice(0, 60)})`);
        }
        rows.push(row);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    return {
      findings: [{ title: "Rows at which a turn had ended", rows, notes: found }],
      bars: [{ what: "requests said to be open", value: sumOf(rows, ({ open }) => open), atMost: 0 }],
    };
  },
};
