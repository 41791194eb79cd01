// What a session is told of earlier ones: an index when it starts, the few memories a prompt needs, all of it as data.
export { MEMORY_TOOL } from "./choose.ts";
export { logText } from "./dailyLog.ts";
export { fileText } from "./fileText.ts";
export { contextOf, type HookAnswer, type HookReply, joinTexts, personLine } from "./hookAnswer.ts";
export { type MemoriesLook, memoriesText } from "./memories.ts";
export { projectLines } from "./projectLine.ts";
export { promptText } from "./promptText.ts";
export { lineOf } from "./quote.ts";
export { aboutWork, startText } from "./startText.ts";
export { injectWords, typeIcons } from "./words.ts";
