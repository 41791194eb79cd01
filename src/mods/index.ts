// The worker's side of the mod inside Claude Code.
export { type ModsHandlers, makeModsHandlers } from "./handlers.ts";
export { openWindows } from "./windows.ts";
