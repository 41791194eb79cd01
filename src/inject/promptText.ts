// The few memories that a prompt clearly needs, and silence when that is not clear.

import { calendarOf } from "../dates/index.ts";
import { type Language, projectOf } from "../home/index.ts";
import { ownContextMark } from "../lib/index.ts";
import { staleBanner } from "../memdir/index.ts";
import { quoted } from "../redact/index.ts";
import { type ClearParts, clearlyAbout, type Hit } from "../search/index.ts";
import { cut, isOrder, lineOf } from "./quote.ts";
import { injectWords } from "./words.ts";

interface PromptRequest {
  readonly prompt: string;
  readonly folder: string;
  /** Its own entries are in the conversation already. */
  readonly session: string;
  readonly language: Language;
  readonly nonce: string;
  readonly timeZone?: string;
}

const PROMPT_TITLE_WIDTH = 100;
const MOST_BANNER_EVIDENCE = 2;

/** What stands above a memory that no longer holds. */
function withheldBanner({ stale = [] }: Hit, language: Language) {
  const { withheld } = injectWords[language];
  const checked = stale.slice(0, MOST_BANNER_EVIDENCE).map((evidence) => ({
    standing: "stale" as const,
    evidence: cut(lineOf(evidence, withheld), PROMPT_TITLE_WIDTH),
  }));
  return checked.length === 0 ? "" : (staleBanner({ standing: "stale", checked }, language)?.trimEnd() ?? "");
}

function entryText(hit: Hit, { language, timeZone }: PromptRequest) {
  const calendar = calendarOf(language, timeZone);
  const at = Date.parse(hit.at);
  const title = cut(lineOf(hit.title, injectWords[language].withheld), PROMPT_TITLE_WIDTH);
  const standing = hit.standing === undefined ? "" : `, ${hit.standing}`;
  const head = `${hit.ref} (${calendar.day(at)} ${calendar.time(at)}, ~${hit.tokens}${standing}): ${title}`;
  const excerpt = hit.excerpt === undefined || isOrder(hit.excerpt) ? "" : quoted(hit.excerpt);
  return [head, withheldBanner(hit, language), excerpt].filter((part) => part !== "").join("\n");
}

/** Empty unless something that is kept is clearly about the prompt. */
export async function promptText(parts: ClearParts, request: PromptRequest) {
  const { prompt, folder, session, language, nonce } = request;
  const needed = await clearlyAbout(parts, { text: prompt, project: projectOf(folder).id, session });
  if (needed.length === 0) return "";
  const { promptIntro, end } = injectWords[language];
  return [
    `<${ownContextMark.name} kind="memory" nonce="${nonce}">`,
    promptIntro,
    ...needed.map((hit) => entryText(hit, request)),
    `${end(nonce)}\n${ownContextMark.close}`,
  ].join("\n");
}
