// Tells once of each content of a project's file what of it does not count, and the command that would let it.

import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Home, Language } from "../home/index.ts";
import { isObject, parseJson, readIfPossible, sha256, systemErrorCode } from "../lib/index.ts";
import type { ProjectSettings } from "./project.ts";
import { settingAt } from "./settings.ts";

type Why = ProjectSettings["ignored"][number]["why"];

/** The settings by their own names: what a repository calls its models is not repeated. */
function keysOf({ ignored }: ProjectSettings, why: Why): string[] {
  const keys = ignored
    .filter((one) => one.why === why)
    .map(({ key }) => settingAt(key.split("."))?.key ?? "");
  return [...new Set(keys)].filter((key) => key !== "");
}

/** One line; undefined where everything counts. */
export function projectNotice(project: ProjectSettings, language: Language): string | undefined {
  const name = `.throughline/${path.basename(project.file)}`;
  const [waiting, never] = [keysOf(project, "untrusted"), keysOf(project, "not-project")];
  const isTrustable = project.trust !== "linked" && project.trust !== "foreign";
  const zh = language === "zh";
  const parts = [
    ...(waiting.length > 0
      ? [zh ? `以下设置未生效：${waiting.join("、")}` : `ignored until you trust it: ${waiting.join(", ")}`]
      : []),
    ...(never.length > 0
      ? [zh ? `项目文件不能设置：${never.join("、")}` : `no project may set: ${never.join(", ")}`]
      : []),
  ];
  if (parts.length === 0) return undefined;
  const way = isTrustable
    ? zh
      ? "运行 `throughline config trust` 可查看并信任该文件"
      : "`throughline config trust` shows the file and trusts it"
    : zh
      ? "该文件是链接或属于其他用户，永远不会被信任"
      : "a file that is a link or another user's is never trusted";
  const ending = waiting.length > 0 ? [way] : [];
  return zh
    ? `Throughline：本项目的 ${name}：${[...parts, ...ending].join("；")}`
    : `Throughline: ${name} of this project: ${[...parts, ...ending].join("; ")}`;
}

type Audience = "command" | "session";

/** Whether this audience has not been told of this content yet; from now on it has. */
export function isNews(home: Home, audience: Audience, { file, ignored }: ProjectSettings): boolean {
  const place = path.join(home.state, "told-projects.json");
  const found = parseJson(readIfPossible(place) ?? "");
  const told = isObject(found) ? found : {};
  const [key, content] = [
    `${audience} ${sha256(file).slice(0, 32)}`,
    sha256(JSON.stringify(ignored)).slice(0, 32),
  ];
  if (told[key] === content) return false;
  try {
    // Not by way of a new folder: where nothing is installed there is no state to keep.
    writeFileSync(place, `${JSON.stringify({ ...told, [key]: content })}\n`, { mode: 0o600 });
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
  }
  return true;
}
