// Inspects sessions in the calling thread: what the inspector's thread and tests run.
import { notFoundError } from "../lib/index.ts";
import { redactText } from "../redact/index.ts";
import { computeAccount } from "./account.ts";
import { compareWindows } from "./compare.ts";
import type { Inspector } from "./inspector.ts";
import { previewCompaction } from "./preview.ts";
import { readCall, readTrace } from "./trace/trace.ts";
import { viewEvent, viewWindow } from "./view.ts";

const redact = (text: string) => redactText(text).text;

export const inspectInThread: Inspector = {
  view: viewWindow,
  account: computeAccount,
  event: (session, id) => viewEvent(session, id, redact),
  trace: (session) => readTrace(session, redact),
  call: (session, id) => readCall(session, id, redact),
  compare: (session, requests) => compareWindows(session, requests, redact),
  preview: async ({ session, transcript, compaction, models }) => {
    if (transcript !== undefined && compaction)
      return previewCompaction(transcript, compaction, models, redact);
    throw notFoundError(`the transcript of ${session} is not there any more`);
  },
};
