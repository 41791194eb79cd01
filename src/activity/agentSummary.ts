// The agent's own summary of a compacted conversation, read by its headings: sections by meaning, each with its items.

/** What a section is about, whatever it is called. */
type SummaryPart =
  | "request"
  | "concepts"
  | "files"
  | "errors"
  | "solving"
  | "messages"
  | "pending"
  | "current"
  | "next"
  | "decisions";

interface SummarySection {
  readonly text: string;
  /** Its bullets and paragraphs, each on one line; what is indented below a bullet belongs to it. */
  readonly items: readonly string[];
}

export type AgentSummary = Readonly<Partial<Record<SummaryPart, SummarySection>>>;

/** Our own summaries have the same sections and open with this: what they say is not the agent's. */
export const ownSummaryOpening = "Everything before this is kept word for word: recall";

/** Opens what we add behind a summary that the agent wrote. */
export const addedWordsHeading = "Kept word for word beside this summary:";

/** Headings of Claude Code's nine sections in its versions and in Chinese, and of agents that summarise by goal and progress. */
const headings: readonly (readonly [SummaryPart, RegExp])[] = [
  [
    "request",
    /^(?:primary request|user(?:'s)? (?:request|intent)|goal\b|主要(?:请求|需求)|用户(?:请求|需求|意图)|请求与意图)/i,
  ],
  ["concepts", /^(?:key )?technical concepts|^(?:关键|主要|核心)?技术概念/i],
  ["files", /^(?:relevant )?files (?:and|&) code|^(?:相关)?文件(?:与|和|及)代码/i],
  ["errors", /^errors? (?:and|&) fix|^错误(?:与|和|及|以及)(?:其)?修/i],
  ["solving", /^problem[- ]solving|^(?:问题解决|解决(?:的)?问题)/i],
  ["messages", /^all user messages|^(?:所有|全部)(?:的)?用户(?:的)?(?:消息|输入)/i],
  [
    "pending",
    /^(?:pending|remaining|outstanding) (?:tasks|work)|^(?:待办|待处理|待完成|未完成|剩余)(?:的)?(?:任务|事项|工作)/i,
  ],
  ["current", /^current work|^(?:work )?in progress$|^(?:当前|目前|正在进行的?)(?:的)?工作/i],
  ["next", /^(?:optional |possible )?next steps?|^(?:可选的?)?(?:下一步|后续步骤)/i],
  ["decisions", /^(?:key |technical |design )?decisions|^(?:关键|技术|设计)?决(?:策|定)/i],
];

/** `7. Pending Tasks:`, `## 8. Current Work`, `**Next Steps**: …`, `九、下一步：…`; not indented. */
const headingLine =
  /^(?<hashes>#{1,4}\s+)?(?<bold>\*\*)?(?<number>(?:\d{1,2}|[一二三四五六七八九十])[.)、．]\s*)?(?<late>\*\*)?(?<title>[^*:：\n]{2,80})(?:\*\*)?(?<colon>[:：])?(?:\*\*)?(?<rest>.*)$/u;

interface Heading {
  readonly part: SummaryPart | undefined;
  /** The number of signs before a heading of Markdown; 0 for other forms. */
  readonly depth: number;
  readonly rest: string;
}

function headingIn(line: string): Heading | undefined {
  const groups = headingLine.exec(line)?.groups;
  if (!groups) return undefined;
  const { hashes = "", bold, number, late, title = "", colon, rest = "" } = groups;
  const depth = hashes.trim().length;
  const isMarked = depth > 0 || (bold ?? number ?? late ?? colon) !== undefined;
  const part = headings.find(([, pattern]) => pattern.test(title.trim()))?.[0];
  if (isMarked && part !== undefined && (colon !== undefined || rest.trim() === ""))
    return { part, depth, rest: rest.trim() };
  return depth > 0 ? { part: undefined, depth, rest: "" } : undefined;
}

/** What the agent wrote as its summary: without its analysis, and without the client's words around it. */
export function summaryText(text: string): string {
  const tagged = /<summary>([\s\S]*?)(?:<\/summary>|$)/.exec(text)?.[1];
  const plain = tagged ?? text.replace(/<analysis>[\s\S]*?(?:<\/analysis>|$)/g, "");
  const from = /^(?:#+\s*|\*\*)?(?:Summary|总结|摘要)(?:\*\*)?[:：]\s*$/m.exec(plain);
  const body = from ? plain.slice(from.index + from[0].length) : plain;
  const end =
    /^(?:Kept word for word beside this summary:|If you need specific details from before compaction|Please continue the conversation from where|Continue the conversation from where it left off)/m.exec(
      body,
    );
  return end ? body.slice(0, end.index) : body;
}

/** A real summary has several sections; a text in which one heading happens to stand is none. */
const LEAST_SECTIONS = 3;

/** Undefined where the text is not an agent's summary. */
export function parseAgentSummary(text: string): AgentSummary | undefined {
  if (text.includes(ownSummaryOpening) && !text.includes(addedWordsHeading)) return undefined;
  const lines = summaryText(text).split(/\r?\n/);
  const fences = lines.filter((line) => /^\s*```/.test(line)).length;
  const found = new Map<SummaryPart, string[]>();
  let [open, depth, isCode]: [string[] | undefined, number, boolean] = [undefined, 0, false];
  for (const line of lines) {
    // Where a fence is not closed, headings behind it still count.
    if (fences % 2 === 0 && /^\s*```/.test(line)) isCode = !isCode;
    const heading = isCode ? undefined : headingIn(line);
    if (heading?.part !== undefined) {
      // The later one of two: an analysis without tags has the same headings.
      open = heading.rest === "" ? [] : [heading.rest];
      depth = heading.depth;
      found.set(heading.part, open);
    } else if (heading && depth > 0 && heading.depth <= depth) open = undefined;
    else open?.push(line);
  }
  if (found.size < LEAST_SECTIONS) return undefined;
  return Object.fromEntries(
    [...found].map(([part, body]) => [part, { text: body.join("\n").trim(), items: itemsIn(body) }]),
  );
}

const bullet = /^\s*(?:[-*•]|\d{1,2}[.)、])\s+(\S.*)$/;
const endsOpen = /[:：]$/;

interface Block {
  readonly isBullet: boolean;
  /** How far it is indented. */
  readonly depth: number;
  text: string;
  /** It announces a list. */
  isLead: boolean;
}

/** Whether a line goes on with a block: what is indented below a bullet, the next line of a paragraph, the list that it announces. */
function belongsTo(block: Block, line: Block, isParted: boolean) {
  if (block.isBullet) return line.depth > block.depth;
  return line.isBullet ? block.isLead : !isParted;
}

/** Bullets of the first level and paragraphs; code and quotations are left out. */
function itemsIn(lines: readonly string[]) {
  const blocks: Block[] = [];
  let [isCode, isParted] = [false, false];
  for (const line of lines) {
    const isFence = /^\s*```/.test(line);
    if (isFence) isCode = !isCode;
    if (isFence || isCode || /^\s*(?:>|-{3,}\s*$)/.test(line)) continue;
    const item = bullet.exec(line)?.[1];
    const text = /^#{1,6}\s/.test(line) ? "" : (item ?? line).trim();
    const depth = line.length - line.trimStart().length;
    const last = blocks.at(-1);
    const isBullet = item !== undefined;
    const next = { isBullet, depth, text, isLead: !isBullet && endsOpen.test(text) };
    if (text !== "" && last && belongsTo(last, next, isParted)) {
      last.text += `${isBullet && !endsOpen.test(last.text) ? "; " : " "}${text}`;
      last.isLead = isBullet ? last.isLead : next.isLead;
    } else if (text !== "") blocks.push(next);
    isParted = text === "";
  }
  return blocks.map(({ text }) => text);
}
