// OpenCode as an agent: one plugin in its folder, which brings events, live window and tools; its sessions are in a database.
import path from "node:path";
import type { AgentAdapter, AgentPlace, AgentRequest } from "../adapter.ts";
import { packageFolder, pluginEdit, pluginOptions, pluginState } from "../pluginFile.ts";

const OPENCODE = "opencode";

/** `~/.config/opencode`, or what OPENCODE_CONFIG_DIR or XDG_CONFIG_HOME name. */
function configFolder({ env, homeFolder }: AgentPlace) {
  if (env.OPENCODE_CONFIG_DIR) return path.resolve(env.OPENCODE_CONFIG_DIR);
  return path.join(env.XDG_CONFIG_HOME || path.join(homeFolder, ".config"), OPENCODE);
}

const pluginFile = (place: AgentPlace) => path.join(configFolder(place), "plugin", "throughline.js");

/** OpenCode takes every export for a plugin. */
function pluginText(request: AgentRequest) {
  const folder = packageFolder(request);
  return `export const Throughline = async (input) => {
  const plugin = await import(${JSON.stringify(path.join(folder, "dist", "plugins", "openCode.js"))}).catch(() => undefined);
  return plugin?.throughline(input, ${pluginOptions(request, folder)}) ?? {};
};
`;
}

export const openCodeAdapter: AgentAdapter = {
  name: OPENCODE,
  title: "OpenCode",
  edits: (request) => [pluginEdit(OPENCODE, pluginFile(request), pluginText(request))],
  state: (place) => pluginState(OPENCODE, place, configFolder, pluginFile(place)),
  sessionFolders: () => [],
  sessionDatabase: ({ env, homeFolder }) =>
    path.join(env.XDG_DATA_HOME || path.join(homeFolder, ".local", "share"), OPENCODE, "opencode.db"),
};
