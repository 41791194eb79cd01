// The worker's side of the mod inside Claude Code.
export { type ModsDesk, type ModsDuties, makeModsDesk } from "./handlers.ts";
export { openWindows } from "./windows.ts";
