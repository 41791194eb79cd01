// What a session's rows say of the session: its titles, folder, models and beginning, kept from run to run.
import { isUserInput, userWords } from "../messages/index.ts";
import { redactText } from "../redact/index.ts";
import { type Entry, isRealModel, promptTitle, titleLine } from "../transcript/index.ts";
import type { SessionNotes } from "./record.ts";

type Change = Partial<SessionNotes>;

/** The notes with what one more entry says. `isOwn` tells whether a row of that id is in this session. */
export function noted(notes: SessionNotes, entry: Entry, isOwn: (id: string) => boolean): SessionNotes {
  const changes: Change = {
    ...(notes.cwd === undefined && entry.session?.cwd ? { cwd: entry.session.cwd } : {}),
    ...(entry.kind === "title" ? titleChange(entry, isOwn) : {}),
    ...(entry.kind === "message" ? messageChange(notes, entry) : {}),
  };
  return Object.keys(changes).length === 0 ? notes : { ...notes, ...changes };
}

/** Before anything is shortened or kept: a secret that was cut in two would no longer be known for one. */
const hidden = (text: string): string => redactText(text).text;

function titleChange(entry: Entry & { kind: "title" }, isOwn: (id: string) => boolean): Change {
  const text = titleLine(hidden(entry.text));
  if (entry.source !== "summary") return { [entry.source]: text };
  // Files also carry summaries of other sessions, which name rows that are not here.
  return text !== "" && (entry.leaf === undefined || isOwn(entry.leaf)) ? { summary: text } : {};
}

function messageChange(notes: SessionNotes, entry: Entry & { kind: "message" }): Change {
  const { at, id = "", message, meta = false, compactSummary = false, response } = entry;
  const model = response?.model;
  const item = { id, message, meta, compactSummary };
  const isPrompt = notes.prompt === undefined && !entry.sidechain && isUserInput(item);
  const prompt = isPrompt ? promptTitle(hidden(userWords(item))) : "";
  return {
    ...(notes.beganAt === undefined && at !== undefined ? { beganAt: at } : {}),
    ...(isRealModel(model) && !notes.models.includes(model) ? { models: [...notes.models, model] } : {}),
    ...(prompt === "" ? {} : { prompt }),
  };
}

/** The best title known; empty when there is none. `index` is that of an old list beside the transcript. */
export function titleOf({ custom, ai, summary, prompt }: SessionNotes, index: string | undefined): string {
  return hidden(custom || ai || summary || index || prompt || "");
}
