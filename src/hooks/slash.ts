// The hook for slash commands of ours: runs the command and shows what it prints, so that no model is asked. Whatever it cannot
// do is left to the model, which reads the text of the command.
import { type JsonObject, ownVersion } from "../lib/index.ts";
import { readPayload } from "./input.ts";
import { isSwitchedOff, readRuntime } from "./permission.ts";
import { absoluteHome } from "./runHook.ts";
import { logTrouble } from "./trouble.ts";

/** Less than Claude Code gives the hook. */
const COMMAND_MS = 25_000;
const MOST_CHARACTERS = 8_000;
const MOST_BYTES = 64 * 1024 * 1024;
const HANDLE = /^(?:tl:|toolu_)\S+$/;

const words = (text: string) => text.split(/\s+/).filter((word) => word !== "");

/** The command line that answers a slash command; undefined where the model has to act, and for every other command. */
function commandLineFor(payload: JsonObject): readonly string[] | undefined {
  const [args, transcript, session] = ["command_args", "transcript_path", "session_id"].map((name) =>
    String(payload[name] ?? "").trim(),
  ) as [string, string, string];
  // The plugin has its name before every command.
  switch (String(payload.command_name).replace(/^throughline:(?=recall$|remember$)/, "")) {
    case "throughline:status":
      return ["status"];
    case "throughline:search":
      return args === "" ? undefined : ["search", ...words(args)];
    case "throughline:timeline":
      return ["timeline", ...words(args)];
    case "throughline:why":
      return ["window", transcript];
    case "throughline:compact":
      return ["compact", transcript, "--preview"];
    case "throughline:pin":
      return ["pin", transcript, ...(args === "" ? [] : [args])];
    case "recall":
      if (args === "") return ["recall", "--session", session];
      return HANDLE.test(args) ? ["recall", args] : ["search", ...words(args)];
    case "remember":
      return args === "" ? undefined : ["remember", "--", args];
    default:
      return undefined;
  }
}

/** What the command printed; undefined where it did not run. */
async function outputOf(node: string, cli: string, line: readonly string[], cwd: string) {
  const { spawnSync } = await import("node:child_process");
  const { stdout, stderr, error } = spawnSync(node, [cli, ...line], {
    cwd,
    env: { ...process.env, NO_COLOR: "1", COLUMNS: "100" },
    encoding: "utf8",
    timeout: COMMAND_MS,
    maxBuffer: MOST_BYTES,
  });
  if (error !== undefined) throw error;
  const said = `${stdout}${stderr}`.trimEnd();
  return said.length > MOST_CHARACTERS ? `${said.slice(0, MOST_CHARACTERS)}\n…` : said;
}

async function run() {
  const home = isSwitchedOff(process.env) ? undefined : absoluteHome();
  if (home === undefined) return;
  try {
    const payload = readPayload();
    const line = commandLineFor(payload);
    const { node, script } = (line && readRuntime(home)?.worker) ?? {};
    if (line === undefined || node === undefined || script === undefined) return;
    const reason = await outputOf(
      node,
      script.replace(/[^\\/]+$/, "cli.js"),
      line,
      String(payload.cwd ?? "."),
    );
    process.stdout.write(JSON.stringify({ decision: "block", reason }));
  } catch (error) {
    logTrouble(home, "slash", ownVersion, error);
  }
}

void run();
