// What a person wants gone: found, deleted everywhere it is kept, and looked for again.
export { noteArchiveFolder } from "./archiveFolders.ts";
export { type Belongings, type ForgetReport, forgetEverywhere, previewForget } from "./forget.ts";
export { readScope } from "./scope.ts";
