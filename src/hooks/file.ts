// The hook before a file is read, installed where the settings ask for it: prints what earlier sessions learned about the file. It
// captures nothing, and without an answer in time prints nothing.
import { isExcludedWork, workerSocket } from "../home/index.ts";
import { request } from "../ipc/connect.ts";
import { isObject, ownVersion } from "../lib/index.ts";
import { readPayload } from "./input.ts";
import { loadFallback } from "./onDemand.ts";
import { isPaused, isSwitchedOff, readRuntime, rulesNow } from "./permission.ts";
import { absoluteHome } from "./runHook.ts";
import { logTrouble } from "./trouble.ts";

const LIMITS = { withinMs: 250, mostBytes: 64 * 1024 };

async function run() {
  const home = isSwitchedOff(process.env) ? undefined : absoluteHome();
  if (home === undefined) return;
  try {
    const { session_id: session, cwd, tool_input: input } = readPayload();
    const runtime = readRuntime(home);
    if (isPaused(home, runtime)) return;
    const folder = process.env.CLAUDE_PROJECT_DIR || String(cwd ?? "");
    const rules = await rulesNow(home, process.env, runtime);
    if (!rules?.inject || isExcludedWork([folder, String(cwd ?? folder)], rules.exclude)) return;
    const args = { session, folder, file: isObject(input) ? input.file_path : undefined };
    const question = { id: "file", op: "file", args };
    const reply = await request(workerSocket(home), question, LIMITS, async (secret) =>
      (await loadFallback()).newProof(secret),
    );
    const data = typeof reply === "object" && reply.ok && isObject(reply.data) ? reply.data : {};
    if (typeof data.stdout === "string") process.stdout.write(data.stdout);
  } catch (error) {
    logTrouble(home, "file", ownVersion, error);
  }
}

void run();
