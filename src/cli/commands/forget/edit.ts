// `throughline edit`: new words for one observation or summary, and their undo.
import { workerSocket } from "../../../home/index.ts";
import { ask, call } from "../../../ipc/index.ts";
import { defined, notFoundError, observationTypes, SECOND, usageError } from "../../../lib/index.ts";
import { redactValue } from "../../../redact/index.ts";
import { type Corrected, correct } from "../../../tools/index.ts";
import { choice, defineCommand, flag, operand, value } from "../../command.ts";
import { commandContext, withDatabase } from "../../context.ts";
import { hitLines } from "../search.ts";

const ANSWER_TIMEOUT_MS = 20 * SECOND;

/** A running worker does it itself: it is the only writer of the database. */
export async function correctItem(request: object): Promise<Corrected> {
  const { home } = commandContext();
  const socket = workerSocket(home);
  const reply = await ask(socket, "correct", { args: request, timeoutMs: ANSWER_TIMEOUT_MS });
  if (typeof reply === "object" && reply.ok) return reply.data as Corrected;
  if (typeof reply === "object" && reply.error.code === "usage")
    throw usageError(reply.error.message, reply.error.fix);
  if (typeof reply === "object" && reply.error.code === "not-found")
    throw notFoundError(reply.error.message, reply.error.fix);
  if (reply !== "absent") return (await call(socket, "correct", { args: request })) as Corrected;
  return withDatabase((store) =>
    correct({ home, store, redact: (text) => redactValue(text).value }, request),
  );
}

const endings = {
  found: () => "Nothing was deleted yet; --yes deletes it.",
  deleted: (ref: string) =>
    `Deleted: no search, list or session finds it any more. \`throughline forget --id '${ref}' --undo\` brings it back, until its session is forgotten.`,
  edited: (ref: string) => `Changed. \`throughline edit '${ref}' --undo\` takes it back.`,
  undone: () => "As it was before.",
} as const;

export const correctionReport = (done: Corrected) => ({
  data: done,
  text: [hitLines([done.item]), endings[done.outcome](done.ref)],
});

export const edit = defineCommand({
  args: {
    id: operand("an observation or a summary: '#12' or S3, as search prints it"),
    title: value("text", "of an observation: its title"),
    type: choice(observationTypes, "of an observation: its type"),
    subtitle: value("text", "of an observation: its second line"),
    narrative: value("text", "of an observation: what happened"),
    text: value("text", "of an observation: its further text"),
    request: value("text", "of a summary: what was asked for"),
    investigated: value("text", "of a summary: what was looked at"),
    learned: value("text", "of a summary: what was found out"),
    completed: value("text", "of a summary: what was done"),
    "next-steps": value("text", "of a summary: what comes next"),
    notes: value("text", "of a summary: notes"),
    undo: flag("take the last change of it back"),
  },
  examples: {
    "throughline edit '#12' --title 'The queue is dropped at 10 MB'": "a title that is right",
    "throughline edit S3 --next-steps ''": "nothing is next any more",
    "throughline edit '#12' --undo": "as it was before",
  },
  async run({ args: { id, undo, json: _json, help: _help, "next-steps": nextSteps, ...fields } }) {
    const text = defined({ ...fields, nextSteps });
    if (undo && Object.keys(text).length > 0)
      throw usageError("--undo takes no new text", "one after the other");
    return correctionReport(await correctItem({ ref: id, action: undo ? "undo" : "edit", text }));
  },
});
