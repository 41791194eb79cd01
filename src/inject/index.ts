// What a session is told of earlier ones: an index when it starts, the few memories a prompt needs, all of it as data.
export { branchWords, type Chosen, choose, MEMORY_TOOL, pointsOf, type Work } from "./choose.ts";
export { type MemoriesLook, type MemoriesMaterial, memoriesText } from "./memories.ts";
export { type PromptRequest, promptText } from "./promptText.ts";
export { cellOf, inert, isOrder, lineOf, quoted } from "./quote.ts";
export { type Look, type Material, renderIndex } from "./render.ts";
export { aboutWork, type IndexStore, type StartRequest, startText } from "./startText.ts";
export { typeIcons } from "./words.ts";
