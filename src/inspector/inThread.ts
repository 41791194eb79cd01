// Inspects sessions in the calling thread: what the inspector's thread and tests run.
import { redactText } from "../redact/index.ts";
import { computeAccount } from "./account.ts";
import type { Inspector } from "./inspector.ts";
import { readCall, readTrace } from "./trace/trace.ts";
import { viewEvent, viewWindow } from "./view.ts";

const redact = (text: string) => redactText(text).text;

export const inspectInThread: Inspector = {
  view: viewWindow,
  account: computeAccount,
  event: (session, id) => viewEvent(session, id, redact),
  trace: (session) => readTrace(session, redact),
  call: (session, id) => readCall(session, id, redact),
};
