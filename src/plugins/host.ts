// What a plugin inside an agent has of Throughline: the hooks, which it runs as the agent would, the worker, and the tools.
import { spawn } from "node:child_process";
import { request } from "node:http";
import { homedir } from "node:os";
import path from "node:path";
import { type Home, resolveHome, tokenFile, workerSocket, workerStateFile } from "../home/index.ts";
import { endpointAt } from "../ipc/connect.ts";
import { givenText, isObject, type JsonObject, parseJson, readIfPossible } from "../lib/index.ts";

/** What the installation writes into the plugin's file. */
export interface PluginOptions {
  /** The agent's name. */
  readonly agent: string;
  /** The Node that runs hooks: agents bring programs of their own that are none. */
  readonly node: string;
  /** The folder of this package. */
  readonly folder: string;
  /** A home of Throughline that is not the usual one. */
  readonly home?: string;
}

/** Hooks that are answered: they wait for the worker, others only write. */
type Bundle = "capture" | "answer" | "precompact";

const bundleOf: Readonly<Record<string, Bundle>> = {
  SessionStart: "answer",
  UserPromptSubmit: "answer",
  PreCompact: "precompact",
};

/** A hook that does not end is left alone. */
const HOOK_MS = 5_000;

interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

/** Who asks for a tool. */
interface ToolAsker {
  readonly session: string;
  readonly project: string;
}

export interface PluginHost {
  readonly home: Home;
  readonly socket: string;
  /** Runs the hook of an event with its payload in Claude Code's form. Gives the text for the model. Never rejects. */
  hook(payload: JsonObject): Promise<string>;
  /** The tools of the MCP server, for an agent that has no MCP. */
  tools(): readonly OfferedTool[];
  tool(asker: ToolAsker, name: string, input: unknown): Promise<{ text: string; isError: boolean }>;
  /** Resolves when every hook has written what it was given. */
  settled(): Promise<void>;
}

function contextIn(stdout: string) {
  const answer = parseJson(stdout.trim() === "" ? "{}" : stdout);
  const output = isObject(answer) && isObject(answer.hookSpecificOutput) ? answer.hookSpecificOutput : {};
  return givenText(output.additionalContext) ?? "";
}

function runHook({ node, folder, agent, home }: PluginOptions, payload: JsonObject): Promise<string> {
  const bundle = bundleOf[String(payload.hook_event_name)] ?? "capture";
  const file = path.join(folder, "dist", "hooks", `${bundle}.cjs`);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const child = spawn(node, [file, agent, ...(home === undefined ? [] : [home])], {
      cwd: givenText(payload.cwd) ?? process.cwd(),
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true,
    });
    const timer = setTimeout(() => child.kill(), HOOK_MS);
    const settle = () => {
      clearTimeout(timer);
      resolve(contextIn(Buffer.concat(chunks).toString("utf8")));
    };
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    // A Node that is gone: nothing can be captured, and the agent goes on.
    child.on("error", settle);
    child.on("close", settle);
    child.stdin.on("error", () => undefined);
    child.stdin.end(JSON.stringify(payload));
  });
}

const MOST_TOOL_MS = 30_000;

/** Posts to the worker's socket; undefined where none answers. */
function askWorker(home: Home, at: string, body: object): Promise<unknown> {
  const endpoint = endpointAt(workerSocket(home));
  const token = readIfPossible(tokenFile(home))?.trim();
  if (typeof endpoint === "string" || token === undefined) return Promise.resolve(undefined);
  const state = parseJson(readIfPossible(workerStateFile(home)) ?? "");
  const bytes = Buffer.from(JSON.stringify(body));
  return new Promise((resolve) => {
    const asked = request({
      ...{ socketPath: endpoint.path, path: at, method: "POST", timeout: MOST_TOOL_MS },
      headers: {
        host: `127.0.0.1:${isObject(state) ? Number(state.port) : 0}`,
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "content-length": bytes.length,
      },
    });
    asked.on("error", () => resolve(undefined));
    asked.on("timeout", () => asked.destroy());
    // In Bun a request closes before its answer has ended.
    let isAnswered = false;
    asked.on("close", () => {
      if (!isAnswered) resolve(undefined);
    });
    asked.on("response", (response) => {
      isAnswered = true;
      const chunks: Buffer[] = [];
      response.on("close", () => resolve(undefined));
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve(parseJson(Buffer.concat(chunks).toString("utf8"))));
    });
    asked.end(bytes);
  });
}

function offeredTools(folder: string): OfferedTool[] {
  const greeting = parseJson(readIfPossible(path.join(folder, "dist", "mcp.json")) ?? "");
  const list = isObject(greeting) && isObject(greeting.tools) ? greeting.tools.tools : [];
  return (Array.isArray(list) ? list : []).flatMap((tool) => {
    if (!isObject(tool) || typeof tool.name !== "string" || !isObject(tool.inputSchema)) return [];
    return [{ name: tool.name, description: String(tool.description), inputSchema: tool.inputSchema }];
  });
}

export function openHost(options: PluginOptions): PluginHost {
  const env = options.home === undefined ? process.env : { ...process.env, THROUGHLINE_HOME: options.home };
  const home = resolveHome({ env, platform: process.platform, homeFolder: env.HOME || homedir() });
  const running = new Set<Promise<string>>();
  return {
    home,
    socket: workerSocket(home),
    hook(payload) {
      const run = runHook(options, payload).catch(() => "");
      running.add(run);
      void run.finally(() => running.delete(run));
      return run;
    },
    tools: () => offeredTools(options.folder),
    async tool(asker, name, input) {
      const answer = await askWorker(home, "/mods/tool", { asker, name, input, inSubagent: false });
      const { text, isError } = isObject(answer) ? answer : {};
      if (typeof text === "string") return { text, isError: isError === true };
      return { text: "Throughline's worker does not answer; try again in a moment.", isError: true };
    },
    async settled() {
      await Promise.all(running);
    },
  };
}
