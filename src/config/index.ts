// Settings: one schema, read from flags, environment and files, with the origin of every value.
export { isNews, projectNotice, type SettingChange, setSetting, unsetSetting } from "./edit.ts";
export {
  type ConfigSources,
  describeOrigin,
  type LoadedConfig,
  loadConfig,
  readModelOverrides,
  readSetting,
  type SettingOrigin,
} from "./load.ts";
export type { Config } from "./schema.ts";
export { configJsonSchema, type Setting, settings } from "./settings.ts";
export { checkTrustable, configFiles, readProjectText, trustContent, untrust } from "./trust.ts";
