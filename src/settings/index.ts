// The settings as worker, tools and commands go by them: the user's own, or those in effect in a folder of work.

export {
  archiveSettings,
  languageModel,
  projectNotices,
  readableSettings,
  snapshotSettings,
  userSettings,
} from "./settings.ts";
