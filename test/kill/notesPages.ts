// The notes of every step of a made-up session: the step determines the page, byte for byte.
import { parseNotes, renderNotes } from "../../src/compact/index.ts";

/** Short, so that most of the time goes into writing: that is when kills are worth something. */
const worklog = Array.from({ length: 40 }, (_, at) => `- step ${at} of the work`).join("\n");

export function pageOf(step: number): string {
  return renderNotes({ ...parseNotes(""), "Current State": `Doing step ${step}.`, Worklog: worklog });
}

export const messageOf = (step: number): string => `message-${step}`;

/** The step that a page, or a message's id, is of. */
export function stepOf(text: string | undefined): number {
  return Number(/(?:Doing step |message-)(\d+)/.exec(text ?? "")?.[1] ?? 0);
}
