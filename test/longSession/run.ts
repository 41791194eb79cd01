// Runs one configuration of the long session in a process of its own and prints what was measured as a line of JSON.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { check, type Message } from "../../src/messages/index.ts";
import {
  observeResponse,
  openSession,
  type PolicyName,
  prepare,
  settingsFor,
} from "../../src/pipeline/index.ts";
import { estimateTokens, lookupModel } from "../../src/tokens/index.ts";
import { firstBrokenThinking } from "../brokenThinking.ts";
import { conversation } from "./conversation.ts";

export interface Configuration {
  readonly policy: PolicyName;
  readonly model: string;
  readonly window: number;
  readonly turns: number;
}

export interface Measured extends Configuration {
  /** When the last request was made: a restarted process repeats it. */
  readonly now: number;
  readonly requests: number;
  readonly compactions: number;
  readonly invalid: number;
  readonly overWindow: number;
  /** Milliseconds of CPU: the 99th percentile of each fifth of the requests, and the most of all. */
  readonly p99: readonly number[];
  readonly worst: number;
  readonly total: number;
  /** Megabytes beyond the caller's messages, after a collection. */
  readonly heap: number;
  /** Bytes of the vault for each byte of the conversation. */
  readonly vault: number;
}

export interface Restarted {
  /** Milliseconds of CPU of the first request of a new process, beyond JSON.parse of the messages. */
  readonly restart: number;
  /** The same of JSON.parse: what this machine takes at that moment. */
  readonly parse: number;
  readonly sameBytes: boolean;
  /** The most that one of the next requests took: what was taken over is looked at again little by little. */
  readonly afterwards: number;
}

export interface CompactedAtOnce {
  /** Milliseconds of CPU of the first request of a new process that has to compact. */
  readonly compactedAtOnce: number;
}

const SYSTEM = "You are a coding agent. ".repeat(80);
const tools = ["Read", "Edit", "Bash", "Grep"].map((name) => ({
  name,
  description: `The tool ${name} works on files of the project.`.repeat(6),
  input_schema: { type: "object" },
}));
/** The API counts a little more than an estimate does. */
const COUNTED = 1.04;
const START = Date.UTC(2026, 0, 5, 8);

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const heapNow = () => {
  collect();
  return process.memoryUsage().heapUsed / 2 ** 20;
};
const cpuNow = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
function cpuOf<T>(work: () => T): readonly [T, number] {
  const from = cpuNow();
  const value = work();
  return [value, cpuNow() - from];
}

function sessionIn(folder: string, { policy, model, window }: Configuration) {
  return openSession(
    { project: "long", session: "s", folder: path.join(folder, "session") },
    { vault: path.join(folder, "vault"), settings: settingsFor(policy), models: { [model]: { window } } },
  );
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0);
}

const quantile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
const rounded = (value: number) => Math.round(value * 100) / 100;

/** Time passes: seconds between requests, minutes between turns, and now and then a break that empties the cache. */
function pauseBefore(message: Message, turn: number) {
  if (typeof message.content !== "string") return 9_000;
  return turn % 40 === 0 ? 4_000_000 : turn % 9 === 0 ? 400_000 : 60_000;
}

/** The same conversation for every configuration: it is made once. */
function conversationOf(turns: number, folder: string): Message[] {
  const file = path.join(folder, `conversation-${turns}.json`);
  if (!existsSync(file))
    writeFileSync(file, JSON.stringify([...conversation({ turns, thinking: true, seed: 7 })]));
  return JSON.parse(readFileSync(file, "utf8")) as Message[];
}

/** Whether a request breaks a rule. What it begins with was looked at before: the rest is from its last whole turn on. */
function isInvalid(sent: readonly Message[], last: readonly Message[]) {
  let same = 0;
  while (same < sent.length && sent[same] === last[same]) same++;
  while (same > 0 && !(sent[same]?.role === "user" && typeof sent[same]?.content === "string")) same--;
  return check(sent.slice(same)).length > 0;
}

function runSession(folder: string, configuration: Configuration): Measured {
  const { model, window, turns } = configuration;
  const info = lookupModel(model, { [model]: { window } });
  const all = conversationOf(turns, path.dirname(folder));
  const own = heapNow();
  const session = sessionIn(folder, configuration);
  const messages: Message[] = [];
  const cpu: number[] = [];
  let [now, turn, invalid, overWindow, compactions, heap] = [START, 0, 0, 0, 0, 0];
  let last: readonly Message[] = [];
  const fixed = { system: SYSTEM, tools, model };
  for (const message of all) {
    if (message.role === "user") now += pauseBefore(message, turn);
    if (message.role === "user" && typeof message.content === "string") turn++;
    messages.push(message);
    if (message.role !== "user") continue;
    const [prepared, took] = cpuOf(() => prepare({ ...fixed, session, messages, now }));
    cpu.push(took);
    const sent = prepared.messages;
    const raw = estimateTokens(sent, { model: info, system: SYSTEM, tools }) * COUNTED;
    if (raw > window) overWindow++;
    if (isInvalid(sent, last)) invalid++;
    if (info.thinking === "append-only" && firstBrokenThinking(last, sent) !== undefined) invalid++;
    if (prepared.receipt.compaction) compactions++;
    last = sent;
    const usage = { input_tokens: 0, cache_creation_input_tokens: Math.round(raw), output_tokens: 200 };
    observeResponse({ session, model, usage });
    if (cpu.length % 1_000 === 0) heap = Math.max(heap, heapNow() - own);
    if (cpu.length % 500 === 0) progress(configuration, cpu, compactions);
  }
  heap = Math.max(heap, heapNow() - own);
  const conversationBytes = Buffer.byteLength(JSON.stringify(all));
  writeFileSync(
    path.join(folder, "messages.json"),
    JSON.stringify(
      messages.slice(0, messages.lastIndexOf(all.findLast(({ role }) => role === "user") as Message) + 1),
    ),
  );
  writeFileSync(path.join(folder, "sent.json"), JSON.stringify(last));
  const fifth = Math.ceil(cpu.length / 5);
  return {
    ...configuration,
    requests: cpu.length,
    compactions,
    invalid,
    overWindow,
    p99: [0, 1, 2, 3, 4].map((at) => rounded(quantile(cpu.slice(at * fifth, (at + 1) * fifth), 0.99))),
    worst: rounded(Math.max(...cpu)),
    total: rounded(cpu.reduce((sum, one) => sum + one, 0)),
    heap: rounded(heap),
    vault: rounded(bytesIn(path.join(folder, "vault")) / conversationBytes),
    now,
  };
}

function progress({ policy, model, window }: Configuration, cpu: readonly number[], compactions: number) {
  const recent = cpu.slice(-500);
  const facts = `mean ${rounded(recent.reduce((a, b) => a + b, 0) / 500)} worst ${rounded(Math.max(...recent))}`;
  console.error(`${policy} ${model} ${window}: ${cpu.length} requests, ${compactions} compactions, ${facts}`);
}

/** The first request of a new process, which has read the messages from a file. */
function restarted(folder: string, configuration: Configuration, now: number): Restarted {
  const text = readFileSync(path.join(folder, "messages.json"), "utf8");
  const [messages, parse] = cpuOf(() => JSON.parse(text) as Message[]);
  const session = sessionIn(folder, configuration);
  const { model } = configuration;
  // What is left of reading the file is no cost of the request.
  collect();
  const [prepared, took] = cpuOf(() => prepare({ system: SYSTEM, tools, model, session, messages, now }));
  const sameBytes =
    JSON.stringify(prepared.messages) === readFileSync(path.join(folder, "sent.json"), "utf8");
  const next = Array.from({ length: REQUESTS_AFTERWARDS }, (_, at) => {
    messages.push(
      { role: "assistant", content: [{ type: "text", text: `Answer ${at}` }] },
      { role: "user", content: `Part ${at} once more` },
    );
    return cpuOf(() => prepare({ system: SYSTEM, tools, model, session, messages, now }))[1];
  });
  return { restart: rounded(took), parse: rounded(parse), sameBytes, afterwards: rounded(Math.max(...next)) };
}

const REQUESTS_AFTERWARDS = 80;

const COMPACTED_TO = 16_000;

/** A new process whose first request has to compact. */
function compactedAtOnce(folder: string, configuration: Configuration, now: number): CompactedAtOnce {
  const messages = JSON.parse(readFileSync(path.join(folder, "messages.json"), "utf8")) as Message[];
  const session = sessionIn(folder, configuration);
  const request = { system: SYSTEM, tools, model: configuration.model, session, messages, now };
  collect();
  const [prepared, took] = cpuOf(() => prepare({ ...request, compact: { to: COMPACTED_TO } }));
  if (!prepared.receipt.compaction) throw new Error("nothing was compacted");
  return { compactedAtOnce: rounded(took) };
}

const [step, folder = "", text = "{}"] = process.argv.slice(2);
const configuration = JSON.parse(text) as Measured;
if (step === "run") {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  console.log(JSON.stringify(runSession(folder, configuration)));
} else if (step === "compact")
  console.log(JSON.stringify(compactedAtOnce(folder, configuration, configuration.now)));
else if (step === "restart") console.log(JSON.stringify(restarted(folder, configuration, configuration.now)));
