// Questions about a time or an order: "what did we do yesterday", "what came after the refactoring". The timeline answers them.
import { spanInQuestion, type TimeSpan } from "../dates/index.ts";
import { minuteOf } from "../lib/index.ts";
import type { SearchAnswer, SearchRequest } from "./model.ts";
import { search } from "./search.ts";
import { type TimelineParts, timeline, withoutTalk } from "./timeline.ts";

/** Words of a question that ask what was done, and name nothing. */
const idle =
  /\b(?:what|which|things?|did|do|does|was|were|have|has|been|we|i|you|us|the|a|all|work(?:ed|ing)?|on|in|during|happen(?:ed|s|ing)?|done|doing|chang(?:ed?|es)|go(?:ing|es)?|show|list|tell|me|everything|anything|about|again)\b|[\p{P}\s]|我们|我|你|做|了|什么|哪些|事情?|工作|干|改|发生|进行|过|的|有|些|是|都|吗|呢|啥/giu;

const beforeOrAfter: readonly (readonly [pattern: RegExp, anchor: number, side: number])[] = [
  [
    /^(?:so )?what (?:else )?(?:happened|came|comes|(?:did|have) (?:we|i|you) (?:do|done|work(?:ed)? on|changed?)|was (?:done|changed)|were (?:we|you) (?:doing|working on))(?: next)?(?: right| just| directly| shortly)? (before|after)(?: we| i)? (.+?)[?.!]*$/i,
    2,
    1,
  ],
  [
    /^(?:在)?(.+?)(?:之|以)?([前后])(?:，|,)?(?:我们|我|你)?(?:又|还)?(?:做|干|改|发生)(?:了|过)(?:什么|哪些|啥).*$/u,
    1,
    2,
  ],
];

/** What stands before or after something that is named by words; undefined for any other question. */
function orderQuestion(text: string) {
  for (const [pattern, anchorAt, sideAt] of beforeOrAfter) {
    const found = pattern.exec(text.trim());
    const [anchor, side] = [found?.[anchorAt], found?.[sideAt]];
    if (anchor !== undefined && side !== undefined)
      return { anchor, isBefore: side.toLowerCase() === "before" || side === "前" };
  }
  return undefined;
}

const DEFAULT_LIMIT = 20;

/** What was done before or after the best hit of the words, nearest first. */
async function inOrder(
  parts: TimelineParts,
  request: SearchRequest,
  { anchor, isBefore }: NonNullable<ReturnType<typeof orderQuestion>>,
): Promise<SearchAnswer | undefined> {
  const { limit = DEFAULT_LIMIT, offset = 0, layer = "context", projects, session } = request;
  const most = limit + offset + 1;
  const place = { ...(projects && { projects }), ...(session !== undefined && { session }) };
  const sides = isBefore ? { before: most, after: 0 } : { before: 0, after: most };
  const { middle, items } = await timeline(parts, { around: anchor, ...place, ...sides, layer });
  if (middle === undefined) return undefined;
  const around = items.filter(({ ref }) => ref !== middle);
  const nearest = isBefore ? [...around].reverse() : around;
  const named = items.find(({ ref }) => ref === middle);
  const note = `${isBefore ? "Before" : "After"} ${middle}${named ? `: ${named.title}` : ""}`;
  return {
    hits: nearest.slice(offset, offset + limit),
    more: nearest.length > offset + limit,
    notes: [note],
  };
}

const isoOf = (epoch: number) => new Date(epoch).toISOString();

const spanText = ({ from, to }: TimeSpan) =>
  from === 0 ? `before ${minuteOf(isoOf(to))}` : `from ${minuteOf(isoOf(from))} to ${minuteOf(isoOf(to))}`;

/** The answer within the time that the question names; where there is none, the answer of other times, and a note. */
async function within(
  parts: TimelineParts,
  request: SearchRequest,
  { span, rest }: NonNullable<ReturnType<typeof spanInQuestion>>,
): Promise<SearchAnswer> {
  const asked = request.query;
  const filter = { from: isoOf(span.from), to: isoOf(span.to) };
  const isIdle = rest.replace(idle, "") === "";
  const inTime = await search(
    parts,
    isIdle
      ? { ...request, ...filter, asked, query: "", kinds: request.kinds ?? [...withoutTalk, "memory"] }
      : { ...request, ...filter, asked, query: rest },
  );
  if (inTime.hits.length > 0)
    return { ...inTime, notes: [...inTime.notes, `Only what is ${spanText(span)}.`] };
  const anyTime = await search(parts, request);
  return { ...anyTime, notes: [...anyTime.notes, `Nothing was found ${spanText(span)}.`] };
}

const NOTHING = "Looked through observations, summaries, prompts, messages and memories";

/** What to say where nothing was found: where was looked, and whether other projects have something. */
async function withElsewhere(parts: TimelineParts, request: SearchRequest, answer: SearchAnswer) {
  const { projects, offset = 0, ...rest } = request;
  if (answer.hits.length > 0 || offset > 0 || request.query.trim() === "" || request.typed === true)
    return answer;
  if (!projects) return { ...answer, notes: [...answer.notes, `${NOTHING} of all projects.`] };
  const { hits, more } = await search(parts, { ...rest, limit: DEFAULT_LIMIT, layer: "index" });
  const found = hits.length === 0 ? "nothing either" : `${hits.length}${more ? " and more" : ""}`;
  const elsewhere = `Other projects have ${found}${hits.length === 0 ? "" : "; search everywhere (without --project) to see them"}.`;
  return { ...answer, notes: [...answer.notes, `${NOTHING} of this project. ${elsewhere}`] };
}

async function answerTimed(parts: TimelineParts, request: SearchRequest, now: number) {
  if (request.from !== undefined || request.to !== undefined) return search(parts, request);
  const timed = spanInQuestion(request.query, now);
  if (timed) return within(parts, request, timed);
  const order = orderQuestion(request.query);
  const ordered = order && (await inOrder(parts, request, order));
  return ordered ?? search(parts, request);
}

/** As `search`; questions about a time or an order are answered from the timeline. */
export async function find(
  parts: TimelineParts,
  request: SearchRequest,
  now = Date.now(),
): Promise<SearchAnswer> {
  return withElsewhere(parts, request, await answerTimed(parts, request, now));
}
