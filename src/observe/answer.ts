// Reads what a model made of the drafts: every part that can be used is used, and nothing else.
import { oneLine, shortened } from "../activity/index.ts";
import { defined, type JsonObject, type ObservationType, objectsIn, observationTypes } from "../lib/index.ts";
import { hasNoOrders } from "./draft.ts";
import type { ObservationDraft, ObservedTurn, SummaryDraft } from "./model.ts";

const TITLE = 110;
const SUBTITLE = 160;
const NARRATIVE = 1_500;
const FACT = 300;
const FIELD = 1_000;
const MOST_FACTS = 8;

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

/** In its words, with our files, lines and sources: those are known. */
function revised(draft: ObservationDraft, said: JsonObject): ObservationDraft | undefined {
  const title = oneLine(text(said.title, TITLE), TITLE).replace(/[.。]$/, "");
  if (title === "" || !hasNoOrders(title)) return undefined;
  const context = oneLine(text(said.subtitle, SUBTITLE), SUBTITLE);
  const [subtitle, narrative] = [hasNoOrders(context) ? context : "", text(said.narrative, NARRATIVE)];
  const [facts, concepts] = [texts(said.facts, FACT), texts(said.concepts, 40)];
  return {
    ...draft,
    type: isType(said.type) ? said.type : draft.type,
    title,
    ...(subtitle === "" ? {} : { subtitle }),
    ...(narrative === "" ? {} : { narrative }),
    ...(facts.length === 0 ? {} : { facts }),
    ...(concepts.length === 0 ? {} : { concepts }),
  };
}

const summaryFields = {
  request: "request",
  investigated: "investigated",
  learned: "learned",
  completed: "completed",
  next_steps: "nextSteps",
  notes: "notes",
} as const;

function summaryIn(said: JsonObject, before: SummaryDraft): SummaryDraft {
  const fields = Object.entries(summaryFields).flatMap(([name, field]) => {
    const value = Array.isArray(said[name]) ? texts(said[name], FIELD).join("\n") : text(said[name], FIELD);
    return value === "" || !hasNoOrders(value) ? [] : [[field, value] as const];
  });
  return { ...before, ...Object.fromEntries(fields) };
}

/** Undefined when nothing of it can be used. */
export function readAnswer(answer: string, observed: ObservedTurn): ObservedTurn | undefined {
  const observations = [...observed.observations];
  let summary = observed.summary;
  let isUsed = false;
  for (const said of objectsIn(answer)) {
    const number = Number(said.draft);
    const draft = observed.observations[number - 1];
    const better = draft === undefined ? undefined : revised(draft, said);
    if (better !== undefined) {
      observations[number - 1] = better;
      isUsed = true;
    } else if (
      summary !== undefined &&
      (typeof said.learned === "string" || typeof said.completed === "string")
    ) {
      summary = summaryIn(said, summary);
      isUsed = true;
    }
  }
  return isUsed ? { observations, ...defined({ summary }) } : undefined;
}
