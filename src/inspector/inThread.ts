// Inspects sessions in the calling thread: what the inspector's thread and tests run.
import { redactText } from "../redact/index.ts";
import { computeAccount } from "./account.ts";
import type { Inspector } from "./inspector.ts";
import { viewEvent, viewWindow } from "./view.ts";

export const inspectInThread: Inspector = {
  view: viewWindow,
  account: computeAccount,
  event: (session, id) => viewEvent(session, id, (text) => redactText(text).text),
};
