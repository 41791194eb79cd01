// What happened: user words, files, commands, failures and fixes, todos, decisions, from the messages alone.
export { fileOfCall, isShell, outcomeOf } from "./calls.ts";
export { knownContents } from "./contents.ts";
export { extractActivity, isDecision, sentencesOf } from "./extract.ts";
export type { Activity, FileActivity } from "./model.ts";
export { type InvokedSkill, type RunningTask, type SessionState, sessionState } from "./state.ts";
