// What a person wants gone: found, deleted everywhere it is kept, and looked for again.
export {
  type Belongings,
  type ForgetReport,
  forgetEverywhere,
  noteArchiveFolder,
  previewForget,
  readScope,
} from "./forget.ts";
