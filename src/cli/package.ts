// Where this package is, and how its programs are started.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { RuntimeState } from "../home/index.ts";
import { type HookProgram, installedProgram, type ServerProgram } from "../install/index.ts";
import { defined, isObject, parseJson, ThroughlineError } from "../lib/index.ts";

/** The nearest folder above this file that is the package; works from sources and from a bundle. */
function packageFolder() {
  for (let folder = path.dirname(fileURLToPath(import.meta.url)); ; folder = path.dirname(folder)) {
    const file = path.join(folder, "package.json");
    const found = existsSync(file) ? parseJson(readFileSync(file, "utf8")) : undefined;
    if (isObject(found) && found.name === "throughline") return folder;
    if (folder === path.dirname(folder)) {
      throw new ThroughlineError(
        "not-found",
        "the folder of the throughline package was not found",
        "reinstall the package",
      );
    }
  }
}

/** How hooks are run: by this Node, which need not be on the PATH of the agent. */
export function hookProgram(): HookProgram {
  return installedProgram(process.execPath, packageFolder());
}

/** The mod, which runs inside Claude Code. */
export function modFolder() {
  return path.join(packageFolder(), "plugin", "mods");
}

/** The pages about mechanisms and commands, as Markdown, by name. */
export function docsPage(name: string): string | undefined {
  if (!/^[a-z-]+$/i.test(name)) return undefined;
  const file = path.join(packageFolder(), "docs", `${name.toLowerCase()}.md`);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** The shell of every system but Windows. */
export function shellProgram(): string | undefined {
  return existsSync("/bin/sh") ? "/bin/sh" : undefined;
}

export function commandLineProgram() {
  return { node: process.execPath, cli: path.join(packageFolder(), "dist", "cli.js") };
}

/** How the MCP server is started. */
export function serverProgram(env: ServerProgram["env"]): ServerProgram {
  const folder = path.join(packageFolder(), "dist");
  const [program, script] = [shellProgram(), path.join(folder, "mcp.sh")];
  const shell = program !== undefined && existsSync(script) ? { program, script } : undefined;
  return { ...commandLineProgram(), env, ...defined({ shell }) };
}

export function workerProgram(): RuntimeState["worker"] {
  return { node: process.execPath, script: path.join(packageFolder(), "dist", "worker.js") };
}

/** The program of a replay thread. */
export function replayThread() {
  return path.join(packageFolder(), "dist", "replayThread.js");
}
