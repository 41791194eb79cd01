// `throughline transcript FILE`: what a recorded session holds, in one streaming pass.
import { ThroughlineError } from "../../lib/index.ts";
import { estimateMessage, findModel } from "../../tokens/index.ts";
import { type MeasuredSummary, summarizeTranscript } from "../../transcript/index.ts";
import { defineCommand } from "../command.ts";
import { columns } from "../output.ts";
import { paint } from "../terminal.ts";
import { counted, localMinute } from "../wording.ts";

/** The report of `--json`; its names are those people use for such counts. */
function report(file: string, summary: MeasuredSummary) {
  const { counts, pairs } = summary;
  const time = (at: number | undefined): string | null =>
    at === undefined ? null : new Date(at).toISOString();
  return {
    file,
    dialect: summary.dialect ?? null,
    session_id: summary.sessionId ?? null,
    title: summary.title?.text ?? null,
    title_source: summary.title?.source ?? null,
    cwd: summary.cwd ?? null,
    git_branch: summary.gitBranch ?? null,
    models: summary.models,
    versions: summary.versions,
    first: time(summary.firstAt),
    last: time(summary.lastAt),
    turns: summary.turns,
    messages: summary.messages,
    tokens: Math.round(summary.tokens),
    tool_results: counts.toolResults,
    tool_pairs: pairs,
    thinking_blocks: counts.thinkingBlocks,
    compact_boundaries: counts.compactBoundaries,
    microcompact_boundaries: counts.microcompactBoundaries,
    boundaries: summary.boundaries,
    counts,
    problems: summary.problems,
    resume_offset: summary.end,
  };
}

const SHOWN_PROBLEMS = 10;

function readable(data: ReturnType<typeof report>): string {
  const number = (value: number): string => value.toLocaleString("en-US");
  const { tool_pairs: pairs } = data;
  const rows = [
    ["title", data.title === null ? "none" : `${data.title} (${data.title_source})`],
    ["session", data.session_id ?? "unknown"],
    ["agent", [data.dialect ?? "not recognised", ...data.versions].join(" ")],
    ["models", data.models.join(", ") || "none"],
    [
      "time",
      data.first === null
        ? "unknown"
        : `${localMinute(data.first)} – ${localMinute(data.last ?? data.first)}`,
    ],
    ["turns", number(data.turns)],
    ["messages", number(data.messages)],
    ["tokens", `≈ ${number(data.tokens)} over the whole main thread`],
    [
      "tool results",
      `${number(data.tool_results)} (${counted(pairs.unanswered, "call")} unanswered, ${counted(pairs.orphan, "result")} without a call)`,
    ],
    ["thinking blocks", number(data.thinking_blocks)],
    [
      "boundaries",
      `${counted(data.compact_boundaries, "compaction")}, ${counted(data.microcompact_boundaries, "microcompaction")}`,
    ],
    ["problems", data.problems.length === 0 ? "none" : String(data.problems.length)],
  ].map(([name = "", value = ""]) => [paint("bold", name), value]);
  const problems = data.problems.slice(0, SHOWN_PROBLEMS).map(({ message }) => `  ${message}`);
  const more = data.problems.length - problems.length;
  return [columns(rows), ...problems, ...(more > 0 ? [`  and ${more} more; --json has them`] : [])].join(
    "\n",
  );
}

export default defineCommand({
  args: {
    file: { type: "positional", required: true, description: "a transcript: JSONL of Claude Code or pi" },
  },
  examples: [
    {
      line: "throughline transcript session.jsonl",
      does: "turns, tool results, thinking, boundaries, tokens, title, problems",
    },
    { line: "throughline transcript session.jsonl --json", does: "the same as one JSON document" },
  ],
  async run({ args }) {
    const first = await summarizeTranscript(args.file, {
      measure: (message) => estimateMessage(message, "old"),
    });
    if (first.dialect === undefined && first.messages === 0)
      throw new ThroughlineError("invalid-history", `${args.file} is no transcript of Claude Code or pi`, {
        fix: "Claude Code keeps them below ~/.claude/projects, one .jsonl for each session",
      });
    const model = first.models.map((name) => findModel(name)).find((found) => found !== undefined);
    const scale = model?.tokenizer === "new" ? NEW_FAMILY_SHARE : 1;
    const data = report(args.file, { ...first, tokens: first.tokens * scale });
    return { data, text: readable(data) };
  },
});

/** The new tokenizer makes about this many tokens of one of the old family's, over agent traffic. */
const NEW_FAMILY_SHARE = 1.325;
