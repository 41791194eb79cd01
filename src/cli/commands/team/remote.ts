// `throughline remote`: this machine's connection to the team's server.
import { readFileSync } from "node:fs";
import { setSetting, unsetSetting } from "../../../config/index.ts";
import { workerSocket } from "../../../home/index.ts";
import { call } from "../../../ipc/index.ts";
import { SECOND, usageError } from "../../../lib/index.ts";
import {
  checkRemoteUrl,
  forgetRemoteKey,
  keepRemoteKey,
  makeClient,
  type RemoteState,
  readRemoteState,
  remotePlace,
} from "../../../remote/index.ts";
import { defineCommand, defineGroup, operand } from "../../command.ts";
import { answerTo } from "../../confirm.ts";
import { commandContext, ownConfig, withDatabase } from "../../context.ts";
import { columns, counted, exitCodes, localMinute } from "../../output.ts";
import { ensureWorker } from "../../runningWorker.ts";
import { isInteractive } from "../../terminal.ts";

const SYNC_TIMEOUT_MS = 600 * SECOND;

/** From the variable, from standard input, or asked for: never from the command line, which other users see. */
async function givenKey() {
  const { THROUGHLINE_REMOTE_KEY: set } = process.env;
  const given = set ?? (process.stdin.isTTY ? await typedKey() : readFileSync(0, "utf8"));
  return /\S+/.exec(given)?.[0] ?? "";
}

const typedKey = async () => (isInteractive() ? answerTo("The key that the operator gave you:") : "");

async function syncNow() {
  const context = commandContext();
  await ensureWorker(context);
  return (await call(workerSocket(context.home), "sync", { timeoutMs: SYNC_TIMEOUT_MS })) as RemoteState;
}

const synced = ({ pushed, pulled, refused }: RemoteState) =>
  `up to date: sent up to change ${pushed}, received up to ${pulled}${refused > 0 ? `; ${counted(refused, "change")} refused` : ""}`;

const connect = defineCommand({
  summary: "use a server from now on; the key is read from standard input, or asked for",
  args: { url: operand("address of the server, such as https://memory.example") },
  examples: {
    "throughline remote connect https://memory.example":
      "asks for the key, tries it, and exchanges all there is",
    "throughline remote connect http://127.0.0.1:37700": "a server on this machine",
  },
  async run({ args }) {
    const url = args.url.replace(/\/+$/, "");
    checkRemoteUrl(url);
    const key = await givenKey();
    if (key === "")
      throw usageError("no key was given", "an operator makes one: throughline server key add NAME");
    const who = await makeClient({ url, key }).who();
    const { home } = commandContext();
    keepRemoteKey(home, key);
    setSetting({ home, cwd: process.cwd(), scope: "user" }, "remote", url);
    const state = await syncNow();
    return {
      data: { ...who, ...state },
      text: [
        `connected as ${who.person} of the team ${who.team}, until ${localMinute(who.expiresAt)}`,
        synced(state),
      ],
    };
  },
});

const sync = defineCommand({
  summary: "exchange now",
  examples: {
    "throughline remote sync": "the worker does it by itself a few seconds after something was stored",
  },
  async run() {
    const state = await syncNow();
    return { data: state, text: synced(state) };
  },
});

const status = defineCommand({
  summary: "what is sent, what waits, and what went wrong",
  examples: { "throughline remote status": "also while the server is away" },
  async run() {
    const { home, env } = commandContext();
    const place = remotePlace(home, env, ownConfig().values.remote);
    if (place === undefined)
      return { data: { url: null }, text: "no server; `throughline remote connect URL`" };
    const state = readRemoteState(home, place.url.replace(/\/+$/, ""));
    const waiting = await withDatabase((store) => store.feedHead(), "read").then(
      (head) => Math.max(0, head - state.pushed),
      () => 0,
    );
    const { url, machine, problem, syncedAt } = state;
    const rows = [
      ["server", url],
      ["machine", machine],
      ["last exchange", syncedAt === 0 ? "never" : localMinute(syncedAt)],
      ["waiting", counted(waiting, "change")],
      ...(problem === undefined ? [] : [["problem", problem]]),
    ];
    return {
      data: { ...state, waiting },
      text: columns(rows),
      exitCode: problem === undefined ? exitCodes.ok : exitCodes.degraded,
    };
  },
});

const disconnect = defineCommand({
  summary: "use no server any more; what was received stays",
  examples: {
    "throughline remote disconnect": "the key is deleted here, and holds until the operator revokes it",
  },
  run() {
    const { home } = commandContext();
    unsetSetting({ home, cwd: process.cwd(), scope: "user" }, "remote");
    forgetRemoteKey(home);
    return {
      data: { url: null },
      text: "disconnected; `throughline server key revoke ID` ends the key itself",
    };
  },
});

export default {
  remote: defineGroup(
    { connect, sync, status, disconnect },
    {
      "throughline remote connect https://memory.example": "use a server from now on",
      "throughline remote status": "what is sent and what waits",
    },
  ),
};
