// Prompts: the request for a summary, the text that continues from one, and a project's own summary instructions.
import { firstCharacters } from "../lib/index.ts";
import { blocksOf, type History, isToolUse, isUserInput } from "../messages/index.ts";

/** The nine sections of a summary, in order. Other programs look for these names. */
export const summarySections = [
  "Primary Request and Intent",
  "Key Technical Concepts",
  "Files and Code Sections",
  "Errors and fixes",
  "Problem Solving",
  "All user messages",
  "Pending Tasks",
  "Current Work",
  "Optional Next Step",
] as const;

/** The system prompt of a summary call that is a call of its own. Other programs know such a call by this sentence. */
export const SUMMARIZER_SYSTEM = "You are a helpful AI assistant tasked with summarizing conversations.";

/** Stands first when the beginning of a conversation had to go and the API wants a user's message there. */
export const TRUNCATION_MARKER = "[earlier conversation truncated for compaction retry]";

/**
 * `base` replaces everything. `partial` replaces the recent part and leaves what is earlier; `partial-up-to` replaces
 * what is earlier and leaves the recent part.
 */
export type SummaryMode = "base" | "partial" | "partial-up-to";

interface SummaryPromptInput {
  readonly mode: SummaryMode;
  /** Further instructions: of the call first, then those of the project. */
  readonly instructions?: readonly string[];
  /** How the first replaced message begins, for `partial`. */
  readonly pivot?: string;
}

const replyRules = {
  first: [
    "Answer this message with plain text. No tool is available for this one reply.",
    "A tool call here is discarded unread, and there is no second reply in which to make up for it.",
    "Everything the summary needs stands in the conversation you have already seen; there is nothing to look up.",
    "Produce two blocks and nothing around them: <analysis> first, <summary> after it.",
  ],
  last: [
    "Remember: this reply is plain text without any tool call, one <analysis> block and then one <summary> block.",
  ],
} as const;

const summaryTasks: Readonly<Record<SummaryMode, string>> = {
  base: "Write the record that will stand in for this entire conversation. The next reader, most likely you, will have this record and none of the messages, so anything missing from it is forgotten.",
  partial:
    "Write the record that will stand in for the recent part of this conversation. The messages before that part remain word for word and need no retelling; cover only what came after them.",
  "partial-up-to":
    "Write the record that will stand in for the messages up to this point. Newer messages, which are not shown here, will follow directly behind it word for word, so it has to lay the ground on which they can be understood.",
};

const CARE =
  "Exactness counts for more than brevity: keep paths, names, signatures, commands, numbers and error texts as they were written, and say plainly what is finished and what is not.";

const analysis = [
  "Think inside <analysis> before you write. That block is removed afterwards and is never read. Go through the messages from the oldest to the newest and note for each stretch:",
  "- what was asked for, and how the wish changed on the way;",
  "- what was done about it, which choices were made and why;",
  "- the concrete things: files, code, signatures, edits, commands and their results;",
  "- what went wrong, what cured it, and above all where the user corrected the course.",
  "Then go over your notes once more and look for what is wrong or left out.",
].join("\n");

const sectionContents: Readonly<Record<(typeof summarySections)[number], string>> = {
  "Primary Request and Intent":
    "everything the user asked for, in full, and what they want to achieve by it.",
  "Key Technical Concepts": "the technologies, patterns and ideas that matter for this work.",
  "Files and Code Sections":
    "each file that was read, changed or made, why it matters, and the code itself where it is still needed; most fully for the newest work.",
  "Errors and fixes": "each error and how it was solved, together with what the user said about it.",
  "Problem Solving": "what was solved, and what is still being investigated.",
  "All user messages":
    "every message the user wrote, in their own words and in order; tool results are not among them, and neither is this request.",
  "Pending Tasks": "what the user asked for and is not done.",
  "Current Work":
    "exactly what was going on in the last messages before this request, with file names and code.",
  "Optional Next Step":
    "the one step that follows from the user's latest request and the work it set off, with a verbatim quotation that shows where things stood. If the last task was finished and nothing else was asked for, write that no step is due: older or merely related wishes are not taken up unasked.",
};

const OUTLINE_INTRODUCTION =
  "The summary has nine numbered sections with exactly these names, in this order. A section that has nothing to say is kept and says so.";

function summaryOutline() {
  const described = summarySections.map((name, index) => `${index + 1}. ${name}: ${sectionContents[name]}`);
  const empty = summarySections.map((name, index) => `${index + 1}. ${name}:\n   …`);
  return [
    `${OUTLINE_INTRODUCTION}\n${described.join("\n")}`,
    `The reply therefore looks like this:\n\n<analysis>\n…\n</analysis>\n\n<summary>\n${empty.join("\n")}\n</summary>`,
  ].join("\n\n");
}

const FURTHER_INSTRUCTIONS = "The user has further wishes for summaries. They come on top of the above:";
const INSTRUCTIONS_IN_CONVERSATION =
  'The conversation may itself carry such wishes, for instance under a heading like "## Compact Instructions" or "# Summary instructions"; they count as well.';

/** The whole request for a summary: no tools, the task, the analysis, the sections, further instructions, no tools. */
export function summaryPrompt({ mode, instructions = [], pivot }: SummaryPromptInput): string {
  const further = instructions.map((text) => text.trim()).filter(Boolean);
  const begins =
    mode === "partial" && pivot ? ` The recent part begins with the message that opens with: "${pivot}"` : "";
  return [
    replyRules.first.join("\n"),
    `${summaryTasks[mode]}${begins}\n${CARE}`,
    analysis,
    summaryOutline(),
    INSTRUCTIONS_IN_CONVERSATION,
    ...(further.length > 0 ? [`${FURTHER_INSTRUCTIONS}\n\n${further.join("\n\n")}`] : []),
    replyRules.last.join("\n"),
  ].join("\n\n");
}

/** Shorter sentences may stand in a summary by chance. */
const SHORTEST_PHRASE = 30;

/**
 * Sentences that belong to a request for a summary and never to a summary: ours, and those of the agent whose sessions
 * are read here.
 */
export const instructionPhrases: readonly string[] = [
  ...[
    ...replyRules.first,
    ...replyRules.last,
    ...Object.values(summaryTasks),
    CARE,
    OUTLINE_INTRODUCTION,
    FURTHER_INSTRUCTIONS,
  ]
    .flatMap((text) => text.split(/(?<=[.:]) /))
    .filter((sentence) => sentence.length >= SHORTEST_PHRASE),
  "Respond with TEXT ONLY",
  "Do NOT call any tools",
  "Tool calls will be REJECTED",
  "will waste your only turn",
];

/** Readers of transcripts know a continued session by these words. */
export const CONTINUATION_MARKER = "This session is being continued from a previous conversation";

interface ContinuationInput {
  readonly summary: string;
  /** Messages follow the summary as they were. */
  readonly keepsRecent?: boolean;
  /** Where everything that left the window can be read, in words. */
  readonly source?: string;
  /** The agent was working on its own, without a user's turn to answer. */
  readonly proactive?: boolean;
  readonly point: StoppingPoint;
}

/** Where a conversation stood: in the middle of a turn, before a message that waits for its answer, or after a turn. */
type StoppingPoint = "in-turn" | "new-message" | "ended";

export function stoppingPoint(history: History): StoppingPoint {
  const last = history.at(-1);
  if (last === undefined || isUserInput(last)) return "new-message";
  return last.message.role === "assistant" && !blocksOf(last.message).some(isToolUse) ? "ended" : "in-turn";
}

const SAY_NOTHING = "Say nothing about this summary and repeat nothing from it.";

/** What the model is asked to do next: only a turn that was interrupted is to be taken up. */
const resumption: Readonly<Record<StoppingPoint, string>> = {
  "in-turn": `Take the work up at the very point where it stopped. ${SAY_NOTHING} Open with no greeting and no announcement, and put no question to the user before going on. Treat the last task as if there had been no interruption.`,
  "new-message": `The user's newest message waits for its answer. ${SAY_NOTHING} Open with no greeting and no announcement.`,
  ended: SAY_NOTHING,
};

/** The user message that takes the place of the compacted messages. */
export function continuationText({
  summary,
  keepsRecent,
  source,
  proactive,
  point,
}: ContinuationInput): string {
  return [
    `${CONTINUATION_MARKER} that outgrew its window. This is what happened in it:`,
    summary.trim(),
    ...(keepsRecent ? ["The newest messages were kept and follow below, unchanged."] : []),
    ...(source ? [source] : []),
    resumption[point],
    ...(proactive
      ? [
          "You were in the middle of working on your own initiative. This is not a first start: do not greet the user or ask what is wanted. Go on with the next piece of work as before.",
        ]
      : []),
  ].join("\n\n");
}

const instructionsHeading =
  /^(?:(?:auto-?)?compact(?:ion)?|summar(?:y|ies|ization|isation|izing|ising)) instructions?$/i;
const wantedChinese = /^(?:上下文)?(?:压缩|摘要|总结)(?:说明|指令|要求|指引)$/;
const markdownHeading = /^ {0,3}(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$/;
const fence = /^ {0,3}(`{3,}|~{3,})/;

/** A page may grow without bound; what a summary call takes from it does not. */
const LONGEST_INSTRUCTIONS = 8_000;

/** The text of every section such as "## Compact Instructions", or an empty string. */
export function compactInstructions(page: string): string {
  const sections: string[][] = [];
  let open: { readonly level: number; readonly lines: string[] } | undefined;
  let fenced = "";
  for (const line of page.split(/\r?\n/)) {
    const mark = fence.exec(line)?.[1] ?? "";
    const title = fenced === "" && mark === "" ? markdownHeading.exec(line) : null;
    if (mark !== "") fenced = fenceAfter(fenced, mark);
    if (title) {
      const level = title[1]?.length ?? 0;
      // Deeper headings belong to the section they stand in.
      if (open && level <= open.level) open = undefined;
      if (!open && isWanted(title[2] ?? "")) {
        open = { level, lines: [] };
        sections.push(open.lines);
        continue;
      }
    }
    open?.lines.push(line);
  }
  return cutAtLine(
    sections
      .map((lines) => lines.join("\n").trim())
      .filter(Boolean)
      .join("\n\n"),
  );
}

/** A fence ends with at least as many of the same characters. */
function fenceAfter(fenced: string, mark: string) {
  if (fenced === "") return mark;
  return mark.startsWith(fenced) ? "" : fenced;
}

function isWanted(title: string) {
  const plain = title.replace(/[*_`:：]/g, "").trim();
  return instructionsHeading.test(plain) || wantedChinese.test(plain);
}

function cutAtLine(text: string) {
  if (text.length <= LONGEST_INSTRUCTIONS) return text;
  const end = text.lastIndexOf("\n", LONGEST_INSTRUCTIONS);
  return firstCharacters(text, end > 0 ? end : LONGEST_INSTRUCTIONS);
}
