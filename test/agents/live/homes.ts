// The homes of agents as a user has had them for a while, and one headless run of each.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import type { AgentWorld } from "../world.ts";

const base = ({ sandbox }: AgentWorld) => `http://127.0.0.1:${sandbox.port}/v1`;

/** Runs a program; fails with what it printed. */
async function must(world: AgentWorld, command: readonly string[], env: Readonly<Record<string, string>>) {
  const { code, out } = await world.run(command, { THROUGHLINE_LIVE_DEADLINE_MS: "5000", ...env });
  expect(code, out).toBe(0);
  return out;
}

export const codexFolder = ({ home }: AgentWorld) => path.join(home, ".codex");

/** `more`: lines of its configuration. */
export function writeCodexHome(world: AgentWorld, more = ""): void {
  mkdirSync(codexFolder(world));
  const config = `# mine
model = "scripted"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
${more}
[model_providers.scripted]
name = "scripted"
base_url = "${base(world)}"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = 0`;
  writeFileSync(path.join(codexFolder(world), "config.toml"), config);
}

export const codex = (world: AgentWorld, program: string, ...args: readonly string[]) =>
  must(world, [process.execPath, program, "exec", ...args], { SCRIPTED_KEY: "x" });

export const piFolder = ({ home }: AgentWorld) => path.join(home, ".pi", "agent");

export function writePiHome(world: AgentWorld, contextWindow = 200_000, settings: object = {}): void {
  mkdirSync(piFolder(world), { recursive: true });
  const models = [{ id: "scripted", contextWindow, maxTokens: 4_096 }];
  const scripted = { baseUrl: base(world), apiKey: "x", api: "openai-completions", models };
  writeFileSync(path.join(piFolder(world), "models.json"), JSON.stringify({ providers: { scripted } }));
  writeFileSync(path.join(piFolder(world), "settings.json"), JSON.stringify(settings));
}

export const pi = (world: AgentWorld, program: string, ...args: readonly string[]) =>
  must(world, [process.execPath, program, "--provider", "scripted", "--model", "scripted", ...args], {
    PI_OFFLINE: "1",
  });

export const openCodeFolder = ({ home }: AgentWorld) => path.join(home, ".config", "opencode");

export function writeOpenCodeHome(world: AgentWorld, program: string, context = 200_000): void {
  const folder = openCodeFolder(world);
  mkdirSync(folder, { recursive: true });
  const models = { scripted: { name: "scripted", limit: { context, output: 2_000 } } };
  const options = { baseURL: base(world), apiKey: "x" };
  const provider = { scripted: { npm: "@ai-sdk/openai-compatible", options, models } };
  const model = "scripted/scripted";
  const config = { model, small_model: model, permission: "allow", provider };
  writeFileSync(path.join(folder, "opencode.json"), JSON.stringify(config));
  // What OpenCode would install beside plugins, where it can reach a registry.
  const dependencies = { "@opencode-ai/plugin": "1.18.33" };
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ dependencies }));
  const installed = path.resolve(program, "../../../..");
  for (const name of ["node_modules", "package-lock.json"])
    symlinkSync(path.join(installed, name), path.join(folder, name));
}

export const openCode = (world: AgentWorld, program: string, ...args: readonly string[]) =>
  must(world, [program, "run", ...args], {
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
  });
