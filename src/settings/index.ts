// The settings as worker, tools and commands go by them: the user's own, or those in effect in a folder of work.

export { archiveSettings } from "./archiveSettings.ts";
export { languageModel } from "./languageModel.ts";
export { projectNotices } from "./projectNotices.ts";
export { readableSettings, userSettings } from "./readableSettings.ts";
export { snapshotSettings } from "./snapshotSettings.ts";
