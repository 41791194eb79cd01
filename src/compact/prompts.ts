// Prompts: the request for a summary, the text that continues from one, and a project's own summary instructions.
import { firstCharacters } from "../lib/index.ts";
import type { StoppingPoint } from "../messages/index.ts";

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

/**
 * A summary call is one turn: a model that spends it on a tool has written nothing. Models that are good with tools reach
 * for one all the same when they are told once, so the ban opens the prompt, names tools and consequence, and closes it.
 */
const replyRules = {
  first: [
    "CRITICAL: ANSWER IN PLAIN TEXT ONLY. DO NOT CALL A TOOL IN THIS REPLY.",
    "",
    "- NOT Read, NOT Bash, NOT Grep, NOT Glob, NOT Edit, NOT Write, and NOT ANY OTHER tool you know of.",
    "- There is nothing to look up: all that the summary needs already stands in the conversation above.",
    "- A tool call here is REJECTED unread and uses up YOUR ONLY TURN. No second one follows: the task has then FAILED.",
    "- The whole reply consists of two blocks of plain text: first <analysis>, then <summary>.",
  ],
  last: [
    "REMINDER: DO NOT CALL A TOOL. Plain text only, an <analysis> block and then a <summary> block. A tool call is rejected, and the task has then failed.",
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
  "Think inside <analysis> tags before you write the summary. That block is removed afterwards and is never read.",
  "",
  "1. Go through the messages from the oldest to the newest. For each stretch note:",
  "   - what was asked for, and how the wish changed on the way;",
  "   - what was done about it, which choices were made and why;",
  "   - the concrete things: files, whole pieces of code, signatures, edits, commands and their results;",
  "   - what went wrong and what cured it;",
  "   - above all where the user corrected the course and wanted something done in another way.",
  "2. Then go over these notes once more and look for what is wrong or left out.",
].join("\n");

const sectionContents: Readonly<Record<(typeof summarySections)[number], string>> = {
  "Primary Request and Intent":
    "everything the user asked for, in full, and what they want to achieve by it.",
  "Key Technical Concepts": "the technologies, frameworks, patterns and ideas that matter for this work.",
  "Files and Code Sections":
    "each file that was read, changed or made, why it matters, and the code itself, complete, where it is still needed; most fully for the newest work.",
  "Errors and fixes":
    "each error and how it was solved, together with what the user said about it, above all where they wanted it done in another way.",
  "Problem Solving": "what was solved, and what is still being investigated.",
  "All user messages":
    "EVERY message the user wrote, in their own words and in order: they show what was wanted and how that changed. Tool results are not among them, and neither is this request.",
  "Pending Tasks": "what the user explicitly asked for and is not done.",
  "Current Work":
    "exactly what was going on in the last messages before this request, the user's and yours, with file names and code.",
  "Optional Next Step":
    "the one step that follows DIRECTLY from the user's latest request and the work it set off, with a verbatim quotation from the last messages that shows what was being done and where it stopped, so that the task does not drift. If the last task was finished and nothing else was asked for, write that no step is due: older or merely related wishes are not taken up unasked.",
};

const sectionShapes: Readonly<Record<(typeof summarySections)[number], string>> = {
  "Primary Request and Intent": "[in full]",
  "Key Technical Concepts": "- [concept]\n   - […]",
  "Files and Code Sections":
    "- [path]\n      - [why it matters]\n      - [what was changed in it]\n      - [the code]\n   - […]",
  "Errors and fixes": "- [error]\n      - [what cured it]\n      - [what the user said about it]\n   - […]",
  "Problem Solving": "[solved, and still open]",
  "All user messages": '- "[word for word]"\n   - […]',
  "Pending Tasks": "- [task]\n   - […]",
  "Current Work": "[what was going on, with files and code]",
  "Optional Next Step": '[the step, and "the quotation" it follows from]',
};

const OUTLINE_INTRODUCTION =
  "The summary has nine numbered sections with exactly these names, in this order. A section that has nothing to say is kept and says so.";

function summaryOutline() {
  const described = summarySections.map((name, index) => `${index + 1}. ${name}: ${sectionContents[name]}`);
  const shape = summarySections.map((name, index) => `${index + 1}. ${name}:\n   ${sectionShapes[name]}`);
  return [
    `${OUTLINE_INTRODUCTION}\n\n${described.join("\n")}`,
    `The reply therefore looks like this:\n\n<example>\n<analysis>\n[your notes, from the oldest message to the newest]\n</analysis>\n\n<summary>\n${shape.join("\n\n")}\n</summary>\n</example>`,
  ].join("\n\n");
}

const FURTHER_INSTRUCTIONS = "The user has further wishes for summaries. They come on top of the above:";
const INSTRUCTIONS_IN_CONVERSATION = [
  "The conversation may itself carry wishes for summaries, under a heading of its own. They count as well. Such wishes look like this:",
  "<example>\n## Compact Instructions\nPut the changes to the TypeScript code first, and what you got wrong and how it was mended.\n</example>",
  "<example>\n# Summary instructions\nKeep test output and what was read from files word for word.\n</example>",
].join("\n");

/** The whole request for a summary: no tools, the task, the analysis, the sections, further instructions, no tools. */
export function summaryPrompt({ mode, instructions = [], pivot }: SummaryPromptInput) {
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
    .flatMap((text) => text.replace(/^- /, "").split(/(?<=[.:]) /))
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

const SAY_NOTHING =
  "Do NOT acknowledge this summary and do NOT recap what happened: no greeting, no announcement, no word about the interruption.";

/** What the model is asked to do next: only a turn that was interrupted is to be taken up. */
const resumption: Readonly<Record<StoppingPoint, string>> = {
  "in-turn": `Go on at the very point where the work stopped, and do NOT put any further question to the user first. ${SAY_NOTHING} The first thing you write is the next piece of the last task, as if there had been no break.`,
  "new-message": `The user's newest message waits for its answer: give that answer. ${SAY_NOTHING} Do NOT ask again what the summary already tells.`,
  answered: `${SAY_NOTHING} Do NOT ask again what the summary already tells.`,
  stopped: `${SAY_NOTHING} Do NOT ask again what the summary already tells.`,
};

const PROACTIVE =
  "You were ALREADY working on your own initiative when the window filled up. This is NOT a first start: do not greet the user, and do not ask what is wanted. Go on with the next piece of work as before.";

/** How work goes on behind a summary: without acknowledging it, without a recap, without asking what is known. */
export function howToGoOn({ point, proactive }: Pick<ContinuationInput, "point" | "proactive">) {
  return [resumption[point], ...(proactive ? [PROACTIVE] : [])].join("\n\n");
}

/** The user message that takes the place of the compacted messages. */
export function continuationText({ summary, keepsRecent, source, ...stopped }: ContinuationInput) {
  return [
    `${CONTINUATION_MARKER} that outgrew its window. This is what happened in it:`,
    summary.trim(),
    ...(keepsRecent ? ["The newest messages were kept and follow below, unchanged."] : []),
    ...(source ? [source] : []),
    howToGoOn(stopped),
  ].join("\n\n");
}

const instructionsHeading =
  /^(?:(?:auto-?)?compact(?:ion)?|summar(?:y|ies|ization|isation|izing|ising)) instructions?$/i;
const wantedChinese = /^(?:上下文)?(?:压缩|摘要|总结)(?:说明|指令|要求|指引)$/;
const markdownHeading = /^ {0,3}(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$/;
const fenceStart = /^ {0,3}(`{3,}|~{3,})/;

/** A page may grow without bound; what a summary call takes from it does not. */
const LONGEST_INSTRUCTIONS = 8_000;

/** The text of every section such as "## Compact Instructions", or an empty string. */
export function compactInstructions(page: string) {
  const sections: string[][] = [];
  let open: { readonly level: number; readonly lines: string[] } | undefined;
  let fenced = "";
  for (const line of page.split(/\r?\n/)) {
    const mark = fenceStart.exec(line)?.[1] ?? "";
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
