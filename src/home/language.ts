// The language of what a person reads, from the setting or, when that is left open, from the system.
import type { Environment } from "./paths.ts";
/** The languages that Throughline speaks. */
export type Language = "en" | "zh";

/** `auto` follows the variables that programs on Unix follow, and where there are none what the system says. */
export function languageOf(setting: "auto" | Language, env: Environment): Language {
  if (setting !== "auto") return setting;
  const named = env.LC_ALL || env.LC_MESSAGES || env.LANG;
  const locale = named || Intl.DateTimeFormat().resolvedOptions().locale;
  return /^zh\b/i.test(locale.replace("_", "-")) ? "zh" : "en";
}
