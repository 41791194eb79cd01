// What still stands of the agent's own summary: next steps, current work and decisions that nothing after it overtakes.
import type { Action } from "./actions.ts";
import type { AgentSummary } from "./agentSummary.ts";
import type { Todo } from "./tasks.ts";
import { oneLine, plain, sentencesOf } from "./text.ts";

/** A sentence, and the rows of the transcript that say so. */
export interface Statement {
  readonly text: string;
  readonly rows: readonly string[];
  readonly at: number;
  /** The agent's own words; without it a structure of the conversation says so. */
  readonly by?: "agent";
}

interface AgentWords {
  readonly current?: Statement;
  readonly next: readonly Statement[];
  readonly decisions: readonly Statement[];
}

/** The agent's summary, where it stands in the conversation, and what came after it. */
export interface SummedUp {
  readonly at: number;
  readonly row: string;
  readonly parts: AgentSummary;
  /** A request that asks for something came after it, or a turn has ended since. */
  readonly isOvertaken: boolean;
}

interface WorkSince {
  readonly agentSummary?: SummedUp | undefined;
  readonly actions: readonly Action[];
  readonly todos: readonly Todo[];
}

const LONGEST = 300;
const nothing: AgentWords = { next: [], decisions: [] };

export function agentWords({ agentSummary, actions, todos }: WorkSince): AgentWords {
  if (!agentSummary) return nothing;
  const { at, row, parts, isOvertaken } = agentSummary;
  const stated = (text: string): Statement => ({
    text: oneLine(plain(text), LONGEST),
    rows: [row],
    at,
    by: "agent",
  });
  const decisions = (parts.decisions?.items ?? []).filter(saysSomething).map(stated);
  if (isOvertaken) return { next: [], decisions };
  const since = actions.filter((action) => action.at > at);
  const isOpen = (item: string) => saysSomething(item) && !isMarkedDone(item) && !isDoneBy(item, since);
  const current = since.length > 0 ? undefined : parts.current?.items.find(saysSomething);
  const step = parts.next?.items.find((item) => !isQuotation(item));
  const announced = step === undefined ? [] : [/[:：] \S/.test(step) ? step : (sentencesOf(step)[0] ?? step)];
  // A list that was written later says better what is open; one from before may name what is done.
  const isListed = todos.some((todo) => todo.at > at);
  const next = isListed ? [] : [...(parts.pending?.items ?? []), ...announced].filter(isOpen);
  return {
    ...(current !== undefined && { current: stated(current) }),
    next: unlike(next.filter((item) => !todos.some(({ text }) => saysTheSame(text, item)))).map(stated),
    decisions,
  };
}

// These rules only leave things out.
const empty =
  /^(?:none\b|no (?:\w+ ){0,2}(?:tasks?|steps?|work|decisions?)\b|n\/a|nothing\b|all (?:tasks|work) |(?:无|没有|暂无))/i;
const waits =
  /^(?:if (?:the )?(?:user|you)\b|(?:wait|await)(?:ing)?\b|potentially\b|optionally\b|如果|若|等待|等用户)/i;

const saysSomething = (item: string) =>
  !empty.test(plain(item)) && !waits.test(plain(item)) && plain(item).length >= 6;

const isMarkedDone = (item: string) =>
  /^(?:✅|✓|☑|\[x\]|~~)/iu.test(item) ||
  /(?:[—–-]|[([（])\s*(?:done|completed|finished|resolved|fixed|已完成|完成)\b/iu.test(item);

/** Most of it is in quotation marks: what the user said, not what is to be done. */
function isQuotation(item: string) {
  const quoted = (item.match(/"[^"]{12,}"|“[^”]{12,}”|「[^」]{6,}」/g) ?? []).join("").length;
  return quoted > item.length / 2;
}

/** Something that the item names was changed, run with success or committed since: it may be done, and nothing says that it is not. */
function isDoneBy(item: string, actions: readonly Action[]) {
  const code = [...item.matchAll(/`([^`]{4,})`/g)].map(([, text = ""]) => text);
  return actions.some(({ kind, outcome, failed, path, command }) => {
    if (failed || outcome !== "ok") return false;
    if (kind === "change") return path !== undefined && item.includes(path.replace(/^.*[\\/]/, ""));
    if (kind === "commit") return /\bcommit|提交/i.test(item);
    if (command !== undefined && code.some((text) => command.includes(text))) return true;
    return kind === "check" && /\b(?:tests?|lint(?:er)?|build|checks?|suite)\b|测试|构建|检查/i.test(item);
  });
}

const wordsIn = (text: string) =>
  new Set(text.toLowerCase().match(/[\p{Script=Latin}\p{N}_]{3,}|\p{Script=Han}{2}/gu) ?? []);

/** Share of the words of the shorter text that stand in the other too, from which on both say the same. */
const SAME = 0.6;

export function saysTheSame(a: string, b: string) {
  const [one, other] = [wordsIn(a), wordsIn(b)].sort((x, y) => x.size - y.size);
  if (!one || !other || one.size === 0) return a === b;
  return [...one].filter((word) => other.has(word)).length / one.size >= SAME;
}

/** Without what an earlier one says already. */
function unlike(items: readonly string[]) {
  return items.filter((item, at) => !items.slice(0, at).some((earlier) => saysTheSame(earlier, item)));
}
