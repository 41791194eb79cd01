// Reads what a model made of the drafts: what its cited rows support is used, everything else leaves the draft as the rules made it.
import { oneLine, shortened } from "../activity/index.ts";
import {
  defined,
  type JsonObject,
  type ObservationType,
  objectsIn,
  observationTypes,
  present,
} from "../lib/index.ts";
import { isSupported } from "./citations.ts";
import { draftOf, hasNoOrders } from "./draft.ts";
import type { CitableRow } from "./evidence.ts";
import type { ObservationDraft, ObservedTurn, SummaryDraft } from "./model.ts";
import type { Turn } from "./turn.ts";
import { isMarkedUndone, markUndone } from "./undone.ts";

const TITLE = 110;
const SUBTITLE = 160;
const NARRATIVE = 1_500;
const FACT = 300;
const FIELD = 1_000;
const REASON = 200;
const MOST_FACTS = 8;
/** More would be the model's own account of the turn. */
const MOST_ADDED = 2;

/** What came of an answer. */
export interface ReadAnswer {
  /** The drafts, in the model's words where it may speak; dropped ones are not among them. */
  readonly observed: ObservedTurn;
  /** Observations that no rule made. */
  readonly added: readonly ObservationDraft[];
  readonly dropped: readonly { readonly draft: ObservationDraft; readonly reason: string }[];
  /** Items that were not used: rows that are not there, names that stand in no cited row, orders, no title. */
  readonly rejected: number;
}

/** What an answer is checked against. */
interface AnswerContext {
  readonly turn: Turn;
  readonly observed: ObservedTurn;
  readonly rows: ReadonlyMap<string, CitableRow>;
}

const text = (value: unknown, most: number) =>
  typeof value === "string" ? shortened(value.trim(), most) : "";
const texts = (value: unknown, most: number) =>
  Array.isArray(value)
    ? [...new Set(value.map((one) => oneLine(text(one, most), most)).filter((one) => one !== ""))].slice(
        0,
        MOST_FACTS,
      )
    : [];

const isType = (value: unknown): value is ObservationType => observationTypes.some((type) => type === value);
const isWork = (type: ObservationType) => type !== "discovery" && type !== "decision";

/** Undefined unless every cited row is one that was shown, and there is one. */
function citedRows({ rows }: AnswerContext, cited: unknown) {
  if (!Array.isArray(cited) || cited.length === 0) return undefined;
  const found = cited.map((id) => rows.get(String(id)));
  return found.every((row) => row !== undefined) ? [...new Set(found)] : undefined;
}

/** The texts of an item that its sources support; undefined without a title. */
function supportedTexts(said: JsonObject, sources: string) {
  const isFit = (one: string) => one !== "" && hasNoOrders(one) && isSupported(one, sources);
  const title = oneLine(text(said.title, TITLE), TITLE).replace(/[.。]$/, "");
  if (!isFit(title)) return undefined;
  const subtitle = oneLine(text(said.subtitle, SUBTITLE), SUBTITLE);
  const narrative = text(said.narrative, NARRATIVE);
  const facts = texts(said.facts, FACT).filter(isFit);
  const concepts = texts(said.concepts, 40).filter(isFit);
  return {
    title,
    ...(isFit(subtitle) && { subtitle }),
    ...(isFit(narrative) && { narrative }),
    ...(facts.length > 0 && { facts }),
    ...(concepts.length > 0 && { concepts }),
  };
}

const sayingOf = ({ title, subtitle = "", narrative = "", text, ...draft }: ObservationDraft) =>
  [title, subtitle, narrative, text, ...draft.facts, ...draft.filesRead, ...draft.filesModified].join("\n");

/** In its words, with our files, lines and sources: those are known. It has to rest on a row of the draft, or on the answer. */
function revised(draft: ObservationDraft, said: JsonObject, context: AnswerContext) {
  const cited = citedRows(context, said.rows);
  const own = new Set([...draft.sources, ...draft.evidence]);
  if (!cited?.some(({ source }) => own.has(source))) return undefined;
  const sources = [sayingOf(draft), ...cited.map((row) => row.text)].join("\n");
  const words = supportedTexts(said, sources);
  if (!words) return undefined;
  // What kind of thing it was is known; which kind of work, a model may tell better.
  const type = isType(said.type) && isWork(said.type) && isWork(draft.type) ? said.type : draft.type;
  const worded = { ...draft, ...words, type, evidence: cited.map(({ source }) => source) };
  return isMarkedUndone(draft) ? markUndone(worded, context.turn.phrases) : worded;
}

/** An observation that no rule made, from the rows it cites alone. A user's decision is one by its form, never by a model's word. */
function additional(said: JsonObject, context: AnswerContext, count: number): ObservationDraft | undefined {
  const cited = citedRows(context, said.rows);
  if (!cited) return undefined;
  const words = supportedTexts(said, cited.map((row) => row.text).join("\n"));
  if (!words) return undefined;
  const actions = cited.flatMap(({ action }) => action ?? []);
  const isChange = actions.some(({ kind, outcome }) => kind === "change" && outcome === "ok");
  const sources = cited.map(({ source }) => source);
  const { title, subtitle, facts = [], narrative, concepts } = words;
  const draft = draftOf(
    {
      type: isChange && isType(said.type) && isWork(said.type) ? said.type : "discovery",
      titles: [title],
      subtitles: present([subtitle]),
      narrative,
      facts,
      actions,
      sources,
      evidence: sources,
    },
    context.turn,
  );
  return { ...draft, ...(concepts && { concepts }), name: `${sources[0]}.${count}` };
}

/** Work that changed a file, and what the user decided, stay. */
const mayBeDropped = ({ type, filesModified }: ObservationDraft) =>
  type === "discovery" && filesModified.length === 0;

const summaryFields = {
  request: "request",
  investigated: "investigated",
  learned: "learned",
  completed: "completed",
  next_steps: "nextSteps",
  notes: "notes",
} as const;

function summaryIn(said: JsonObject, before: SummaryDraft, sources: string): SummaryDraft {
  const fields = Object.entries(summaryFields).flatMap(([name, field]) => {
    const value = Array.isArray(said[name]) ? texts(said[name], FIELD).join("\n") : text(said[name], FIELD);
    return value === "" || !hasNoOrders(value) || !isSupported(value, sources)
      ? []
      : [[field, value] as const];
  });
  return { ...before, ...Object.fromEntries(fields) };
}

const isSummary = (said: JsonObject) =>
  typeof said.learned === "string" || typeof said.completed === "string";
const wordsOf = (title: string) => title.toLowerCase().replace(/\W+/gu, " ").trim();

/** Undefined when it is no answer in the form that was asked for. */
export function readAnswer(answer: string, context: AnswerContext): ReadAnswer | undefined {
  const { observed, rows } = context;
  const drafts = new Map(observed.observations.map((draft, at) => [at + 1, draft] as const));
  const added: ObservationDraft[] = [];
  const dropped: { draft: ObservationDraft; reason: string }[] = [];
  let { summary } = observed;
  let [rejected, isRead] = [0, false];
  for (const said of objectsIn(answer)) {
    const number = Number(said.draft);
    if (said.draft === undefined) {
      if (!isSummary(said)) continue;
      const all = [...observed.observations.map(sayingOf), ...[...rows.values()].map((row) => row.text)];
      summary &&= summaryIn(said, summary, [...Object.values(summary), ...all].join("\n"));
    } else if (number === 0) {
      const titles = [...drafts.values(), ...added].map(({ title }) => wordsOf(title));
      const more = added.length < MOST_ADDED ? additional(said, context, added.length + 1) : undefined;
      if (more && !titles.includes(wordsOf(more.title))) added.push(more);
      else rejected += 1;
    } else {
      const draft = drafts.get(number);
      const reason = oneLine(text(said.drop, REASON), REASON);
      const better = !draft || reason !== "" ? undefined : revised(draft, said, context);
      if (better) drafts.set(number, better);
      else if (draft && reason !== "" && mayBeDropped(draft)) {
        dropped.push({ draft, reason });
        drafts.delete(number);
      } else rejected += 1;
    }
    isRead = true;
  }
  if (!isRead) return undefined;
  return {
    observed: { observations: [...drafts.values()], ...defined({ summary }) },
    added,
    dropped,
    rejected,
  };
}
