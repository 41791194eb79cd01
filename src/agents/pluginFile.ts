// The file by which an agent loads our plugin: it names this package, and does nothing where the package is gone.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { type FileEdit, ownFileMark, planOwnFile } from "../install/index.ts";
import { defined, errorText } from "../lib/index.ts";
import type { AgentPlace, AgentRequest, AgentState } from "./adapter.ts";

/** Of this package. */
export const packageFolder = ({ program }: Pick<AgentRequest, "program">): string =>
  path.resolve(path.dirname(program.bundleFile("capture")), "../..");

/** What the plugin is handed, as JSON. */
export const pluginOptions = ({ program, homeVariable }: AgentRequest, folder: string): string =>
  JSON.stringify({ node: program.node, folder, ...defined({ home: homeVariable }) });

const modes = { fileMode: 0o600, folderMode: 0o700 };

/** `text`: the whole file, without the comment in its first line. */
export const pluginEdit = (agent: string, file: string, text: string): FileEdit => ({
  agent,
  lane: "plugin",
  place: { file, ...modes },
  plan: (before) => planOwnFile(before, file, `// ${ownFileMark(agent)}\n${text}`),
});

/** The state of an agent whose plugin is one file. */
export function pluginState(
  name: string,
  place: AgentPlace,
  folder: (place: AgentPlace) => string,
  file: string,
): AgentState {
  const none = { name, isThere: existsSync(folder(place)), hooks: 0, trusted: 0, server: false };
  try {
    const isOurs = existsSync(file) && readFileSync(file, "utf8").includes(ownFileMark(name));
    return { ...none, plugin: isOurs, server: isOurs };
  } catch (error) {
    return { ...none, problem: errorText(error) };
  }
}
