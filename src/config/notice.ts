// The notice about ignored values of a project's file, given once per content.

import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Home, Language } from "../home/index.ts";
import { isObject, parseJson, readIfPossible, sha256, systemErrorCode } from "../lib/index.ts";
import type { ProjectSettings } from "./project.ts";
import { settingAt } from "./settings.ts";

type Why = ProjectSettings["ignored"][number]["why"];

/** Keys of settings only: the names that a repository gives its models are not repeated. */
function keysOf({ ignored }: ProjectSettings, why: Why) {
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
  const zh = language === "zh";
  const parts = [
    ...(waiting.length > 0
      ? [
          zh
            ? `信任前不生效的设置：${waiting.join("、")}`
            : `ignored until you trust it: ${waiting.join(", ")}`,
        ]
      : []),
    ...(never.length > 0
      ? [zh ? `不允许由项目设置：${never.join("、")}` : `a project cannot set: ${never.join(", ")}`]
      : []),
  ];
  if (parts.length === 0) return undefined;
  const way = isTrustable
    ? zh
      ? "运行 `throughline config trust` 可查看并信任该文件"
      : "`throughline config trust` shows the file and trusts it"
    : zh
      ? "该文件是符号链接或属于其他用户，无法信任"
      : "a link or a file of another user cannot be trusted";
  const ending = waiting.length > 0 ? [way] : [];
  return zh
    ? `Throughline：本项目的 ${name}：${[...parts, ...ending].join("；")}`
    : `Throughline: ${name} of this project: ${[...parts, ...ending].join("; ")}`;
}

type Audience = "command" | "session";

/** Whether this audience has not seen the notice for this content; records that it has. */
export function isNews(home: Home, audience: Audience, { file, ignored }: ProjectSettings): boolean {
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
