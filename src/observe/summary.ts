// Where things stand at the end of a turn, in the six fields of a summary.
import { isTellable, unique } from "./draft.ts";
import { failureName, stillFailing } from "./fixes.ts";
import type { ObservationDraft, SummaryDraft } from "./model.ts";
import type { Scene } from "./turnContext.ts";
import { factsIn, headline, nextStepsIn, oneLine } from "./words.ts";

const REQUEST = 400;
const SHORT_REQUEST = 40;
const NAMED_FILES = 8;

function investigatedIn({ deeds, phrases }: Scene): string {
  const files = unique(deeds.flatMap(({ kind, path }) => (kind === "look" && path ? [path] : [])));
  const searched = unique(deeds.flatMap(({ kind, query }) => (kind === "look" && query ? [query] : [])));
  const asked = unique(deeds.flatMap(({ kind, query }) => (kind === "research" && query ? [query] : [])));
  const more = files.length - NAMED_FILES;
  return [
    `${files.slice(0, NAMED_FILES).join(", ")}${more > 0 ? ` (+${more})` : ""}`,
    searched.length > 0 ? phrases.searched(searched.slice(0, 3)) : "",
    ...asked.slice(0, 3).map((query) => phrases.lookUp(query)),
  ]
    .filter((part) => part !== "")
    .join("; ");
}

/** A "yes" is told with the question it answers. */
function requestOf({ request, question }: Scene): string {
  const said = oneLine(request, REQUEST);
  return question !== undefined && said.length <= SHORT_REQUEST
    ? `${said} (${oneLine(question, 200)})`
    : said;
}

/** Lines that tell a model what to do are left out; the calls that brought them are kept. */
const told = (lines: readonly string[]): string => lines.filter(isTellable).join("\n");

export function summaryOf(scene: Scene, drafts: readonly ObservationDraft[]): SummaryDraft | undefined {
  const { activity, words, request, deeds, phrases } = scene;
  if (request === "" && words === "" && drafts.length === 0) return undefined;
  const done = drafts.filter(({ type }) => type !== "discovery").map(({ title }) => title);
  const changed = deeds.some(({ kind }) => kind === "change" || kind === "commit");
  const passed = drafts.flatMap(({ facts }) => facts).filter((fact) => / passes| 通过/.test(fact));
  const closing = words === "" ? undefined : headline(words, request);
  const learned = unique([
    ...(closing === undefined || changed ? [] : [closing]),
    ...factsIn(words, 4).filter((fact) => !done.some((title) => fact.startsWith(title))),
  ]);
  const waiting = activity.todos.filter(({ status }) => status !== "completed").map(({ text }) => text);
  const failing = stillFailing(deeds).map((deed) => {
    const { subject, message } = failureName(deed);
    return phrases.open([subject, message].filter(Boolean).join(": "));
  });
  const asked = activity.constraints
    .filter(({ by }) => by === "user")
    .map(({ text }) => phrases.asked(oneLine(text, 200)));
  const fields = {
    request: requestOf(scene),
    investigated: investigatedIn(scene),
    learned: told(learned),
    completed: told(unique([...done, ...passed])),
    nextSteps: told(unique([...waiting.slice(0, 5), ...nextStepsIn(words, 3)])),
    notes: told(unique([...failing, ...asked.slice(0, 3)])),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}
