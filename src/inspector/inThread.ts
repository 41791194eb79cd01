// Looks into sessions in this very thread: what the other thread runs, and what tests ask.
import { redactText } from "../redact/index.ts";
import { drawAccount } from "./account.ts";
import type { Inspector } from "./inspector.ts";
import { viewEvent, viewWindow } from "./view.ts";

export const inspectHere: Inspector = {
  view: viewWindow,
  account: drawAccount,
  event: (session, id) => viewEvent(session, id, (text) => redactText(text).text),
};
