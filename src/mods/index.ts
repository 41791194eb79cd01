// The worker's side of the mod inside Claude Code.
export { type ModsHandlers, makeModsHandlers } from "./handlers.ts";
export { laneChoice, takesMods } from "./lane.ts";
export { openWindows } from "./windows.ts";
