// The few memories that a prompt clearly needs, and silence when that is not clear.
import { type Language, ownContextMark, projectOf } from "../lib/index.ts";
import { type Hit, type SearchParts, search } from "../search/index.ts";
import { type QueryTerm, queryTerms, termsOf } from "../terms/index.ts";
import { calendarOf } from "./dates.ts";
import { cut, isOrder, lineOf, quoted } from "./quote.ts";
import { injectWords } from "./words.ts";

export interface PromptRequest {
  readonly prompt: string;
  readonly folder: string;
  /** Its own entries are in the conversation already. */
  readonly session: string;
  readonly language: Language;
  readonly nonce: string;
  readonly timeZone?: string;
}

const MOST = 3;
const LOOKED_AT = 10;
/** A memory has this much of the prompt's words, or it is left out. */
const SHARE = 0.5;
const FEWEST_WORDS = 3;
/** A long entry has many words by chance; its title has not. */
const FEWEST_IN_TITLE = 2;
/** What is longer is a text that was pasted: its words say little about what is wanted. */
const MOST_WORDS = 40;
const LONGEST = 4_000;
const TITLE_WIDTH = 100;

/** Whether a hit is about what the prompt is about: by the words that both have, and by what it is called. */
export function isNeeded({ matched = [], title }: Hit, prompt: readonly QueryTerm[]): boolean {
  const shared = new Set(matched).size;
  const { sequence, extra } = termsOf(title);
  const name = new Set([...sequence, ...extra]);
  const named = new Set(prompt.filter(({ term }) => name.has(term)).map(({ term }) => term)).size;
  return shared >= FEWEST_WORDS && shared >= SHARE * prompt.length && named >= FEWEST_IN_TITLE;
}

function entryText(hit: Hit, { language, timeZone }: PromptRequest): string {
  const calendar = calendarOf(language, timeZone);
  const at = Date.parse(hit.at);
  const title = cut(lineOf(hit.title, injectWords[language].withheld), TITLE_WIDTH);
  const head = `${hit.ref} (${calendar.day(at)} ${calendar.time(at)}, ~${hit.tokens}): ${title}`;
  const excerpt = hit.excerpt === undefined || isOrder(hit.excerpt) ? "" : quoted(hit.excerpt);
  return excerpt === "" ? head : `${head}\n${excerpt}`;
}

/** Empty unless something that is kept is clearly about the prompt. */
export async function promptText(parts: SearchParts, request: PromptRequest): Promise<string> {
  const { prompt, folder, session, language, nonce } = request;
  const terms = queryTerms(prompt.slice(0, LONGEST));
  if (terms.length < FEWEST_WORDS || terms.length > MOST_WORDS) return "";
  const { hits } = await search(parts, {
    query: prompt,
    projects: [projectOf(folder).id],
    kinds: ["observation", "summary", "memory"],
    limit: LOOKED_AT,
    layer: "context",
    explain: true,
  });
  const needed = hits.filter((hit) => hit.session !== session && isNeeded(hit, terms)).slice(0, MOST);
  if (needed.length === 0) return "";
  const { promptIntro, end } = injectWords[language];
  return [
    `<${ownContextMark.name} kind="memory" nonce="${nonce}">`,
    promptIntro,
    ...needed.map((hit) => entryText(hit, request)),
    `${end(nonce)}\n${ownContextMark.close}`,
  ].join("\n");
}
