// pi as an agent: one extension in its folder, which does everything from inside.
import path from "node:path";
import type { AgentAdapter, AgentPlace, AgentRequest } from "../adapter.ts";
import { packageFolder, pluginEdit, pluginOptions, pluginState } from "../pluginFile.ts";

const PI = "pi";

/** `~/.pi/agent`, or what PI_CODING_AGENT_DIR names. */
const piFolder = ({ env, homeFolder }: AgentPlace) =>
  env.PI_CODING_AGENT_DIR ? path.resolve(env.PI_CODING_AGENT_DIR) : path.join(homeFolder, ".pi", "agent");

const extensionFile = (place: AgentPlace) => path.join(piFolder(place), "extensions", "throughline.ts");

function extensionText(request: AgentRequest) {
  const folder = packageFolder(request);
  return `export default async (pi) => {
  const plugin = await import(${JSON.stringify(path.join(folder, "dist", "plugins", "pi.js"))}).catch(() => undefined);
  plugin?.throughline(pi, ${pluginOptions(request, folder)});
};
`;
}

export const piAdapter: AgentAdapter = {
  name: PI,
  title: "pi",
  edits: (request) => [pluginEdit(PI, extensionFile(request), extensionText(request))],
  state: (place) => pluginState(PI, place, piFolder, extensionFile(place)),
  sessionFolders: (place) => [path.join(piFolder(place), "sessions")],
};
