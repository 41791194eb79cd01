// The notice about ignored values of a project's file, given once per content.

import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Home, Language } from "../home/index.ts";
import { isObject, parseJson, present, readIfPossible, sha256, systemErrorCode } from "../lib/index.ts";
import type { ProjectSettings } from "./edit.ts";
import { settingAt } from "./settings.ts";

/** Keys of settings only: the names that a repository gives its models are not repeated. */
function keysOf({ ignored }: ProjectSettings, why: ProjectSettings["ignored"][number]["why"]) {
  const keys = ignored
    .filter((one) => one.why === why)
    .map(({ key }) => settingAt(key.split("."))?.key ?? "");
  return [...new Set(keys)].filter((key) => key !== "");
}

/** One line; undefined where no value is ignored. */
export function projectNotice(project: ProjectSettings, language: Language): string | undefined {
  const name = `.throughline/${path.basename(project.file)}`;
  const [waiting, never] = [keysOf(project, "untrusted"), keysOf(project, "not-project")];
  const isTrustable = project.trust !== "linked" && project.trust !== "foreign";
  if (waiting.length + never.length === 0) return undefined;
  const words = phrases[language];
  const parts = present([
    waiting.length > 0 && words.waiting + waiting.join(words.comma),
    never.length > 0 && words.never + never.join(words.comma),
    waiting.length > 0 && (isTrustable ? words.trust : words.untrustable),
  ]);
  return `${words.title(name)}${parts.join(words.semicolon)}`;
}

const phrases = {
  en: {
    title: (name: string) => `Throughline: ${name} of this project: `,
    waiting: "ignored until you trust it: ",
    never: "a project cannot set: ",
    trust: "`throughline config trust` shows the file and trusts it",
    untrustable: "a link or a file of another user cannot be trusted",
    comma: ", ",
    semicolon: "; ",
  },
  zh: {
    title: (name: string) => `Throughline：本项目的 ${name}：`,
    waiting: "信任该文件后才会生效的设置：",
    never: "项目文件不能修改的设置：",
    trust: "运行 `throughline config trust` 查看并信任该文件",
    untrustable: "该文件是符号链接，或属于其他用户，因此不能信任",
    comma: "、",
    semicolon: "；",
  },
};

/** Whether this audience has not seen the notice for this content; records that it has. */
export function isNews(
  home: Home,
  audience: "command" | "session",
  { file, ignored }: ProjectSettings,
): boolean {
  const place = path.join(home.state, "told-projects.json");
  const found = parseJson(readIfPossible(place) ?? "");
  const known = isObject(found) ? found : {};
  const key = `${audience} ${sha256(file).slice(0, 32)}`;
  const content = sha256(JSON.stringify(ignored)).slice(0, 32);
  if (known[key] === content) return false;
  try {
    // Creates no folder: without an installation there is no state to keep.
    writeFileSync(place, `${JSON.stringify({ ...known, [key]: content })}\n`, { mode: 0o600 });
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
  }
  return true;
}
