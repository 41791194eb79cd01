// The offer of `install`, made once: the user's own Claude words observations and summaries, at an estimate from the user's own sessions.
import { statSync } from "node:fs";
import path from "node:path";
import { type LoadedConfig, setSetting } from "../config/index.ts";
import { claudeFolders } from "../home/index.ts";
import { DAY, isObject, type JsonObject } from "../lib/index.ts";
import { SESSION_TOKENS } from "../models/index.ts";
import { findTranscripts, scanRows } from "../transcript/index.ts";
import { confirmed } from "./confirm.ts";
import { type CommandContext, commandContext, ownConfig } from "./context.ts";

/** Days that are looked back. */
const COUNTED_DAYS = 7;
/** The newest transcripts, so that the question comes at once: their turns stand for the rest. */
const SAMPLED_TRANSCRIPTS = 40;
/** Of a question, measured with calls of 2 KB (docs/observe.md): 985 tokens with one call, 2,605 with ten. */
const QUESTION_TOKENS = 800;
const CALL_TOKENS = 200;
const WORDING_ANSWER_TOKENS = 850;
const MOST_CALLS = 40;

/** Calls of each turn of a session, in order. */
type CallsByTurn = readonly number[];

const isPrompt = (row: JsonObject) =>
  row.type === "user" &&
  row.isMeta !== true &&
  row.isSidechain !== true &&
  isObject(row.message) &&
  (typeof row.message.content === "string" ||
    (Array.isArray(row.message.content) &&
      row.message.content.every((block) => isObject(block) && block.type !== "tool_result")));

const toolCallsIn = ({ type, message }: JsonObject) =>
  type === "assistant" && isObject(message) && Array.isArray(message.content)
    ? message.content.filter((block) => isObject(block) && block.type === "tool_use").length
    : 0;

/** Turns without a call leave nothing to word. */
export function wordingTokens(sessions: readonly CallsByTurn[]) {
  let sum = 0;
  for (const turns of sessions) {
    let earlier = 0;
    for (const calls of turns.filter((count) => count > 0)) {
      const turn = QUESTION_TOKENS + CALL_TOKENS * Math.min(calls, MOST_CALLS) + WORDING_ANSWER_TOKENS;
      sum += earlier + turn;
      earlier = earlier + turn >= SESSION_TOKENS ? 0 : earlier + turn;
    }
  }
  return sum;
}

async function callsByTurn(file: string): Promise<CallsByTurn> {
  const turns: number[] = [];
  for await (const { row } of scanRows(file)) {
    if (isPrompt(row)) turns.push(0);
    else if (turns.length > 0) turns[turns.length - 1] = (turns.at(-1) ?? 0) + toolCallsIn(row);
  }
  return turns;
}

interface Estimate {
  readonly turns: number;
  readonly tokens: number;
}

/** A day on average, by the sessions of the last week; undefined where there are none. */
async function dailyWording(env: CommandContext["env"], now: number): Promise<Estimate | undefined> {
  const places = claudeFolders(env).map((folder) => path.join(folder, "projects"));
  const recent = findTranscripts(places)
    .files.filter((file) => !path.dirname(file).endsWith("throughline-wording"))
    .flatMap((file) => {
      const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: 0 };
      return mtimeMs > now - COUNTED_DAYS * DAY ? [{ file, mtimeMs }] : [];
    })
    .sort((a, b) => b.mtimeMs - a.mtimeMs);
  if (recent.length === 0) return undefined;
  const looked = recent.slice(0, SAMPLED_TRANSCRIPTS);
  const sessions: CallsByTurn[] = [];
  for (const { file } of looked) sessions.push(await callsByTurn(file));
  const scale = recent.length / looked.length / COUNTED_DAYS;
  const turns = sessions.flat().filter((calls) => calls > 0).length;
  return { turns: turns * scale, tokens: wordingTokens(sessions) * scale };
}

const rounded = (value: number) => Number(value.toPrecision(2)).toLocaleString("en-US");

function costText(estimate: Estimate | undefined) {
  if (!estimate || estimate.turns === 0)
    return "A turn of ten calls takes some 3,500 tokens, and up to 30,000 of earlier turns, which the cache of the API holds for five minutes.";
  const { turns, tokens } = estimate;
  return `Your last ${COUNTED_DAYS} days had ${rounded(turns)} turns with work a day: about ${rounded(tokens)} tokens a day, most of them earlier turns that the cache of the API holds for five minutes.`;
}

interface OfferParts extends Pick<CommandContext, "home" | "cwd" | "env"> {
  readonly config: LoadedConfig;
  readonly now: number;
  /** Asks at the terminal; the answer is no unless it is given. */
  readonly ask: (details: string, question: string) => Promise<boolean>;
}

/** A provider is set, or the question was answered before. */
const isDecided = ({ origins }: LoadedConfig) =>
  origins.some(({ key, origin }) => key === "llm.provider" && origin.source !== "default");

/** The answer is kept as the setting itself, `none` included, so that the question comes once. */
export async function offerWording(parts: OfferParts): Promise<string[]> {
  const { home, cwd, env, config, now, ask } = parts;
  if (isDecided(config)) return [];
  const details = [
    "Observations and summaries are written by rules. Your own Claude (claude-cli, model haiku) can word them better.",
    costText(await dailyWording(env, now)),
    `They count against your plan; llm.dailyTokens (${config.values.llm.dailyTokens.toLocaleString("en-US")}) is the limit of a day.`,
  ].join("\n");
  const isWanted = await ask(details, "Let your own Claude word observations and summaries?");
  const provider = isWanted ? "claude-cli" : "none";
  const { file } = setSetting({ home, cwd, scope: "user" }, "llm.provider", provider);
  return isWanted
    ? [`set: llm.provider claude-cli in ${file}; \`throughline config set llm.provider none\` undoes it`]
    : [
        `set: llm.provider none in ${file}; \`throughline config set llm.provider claude-cli\` switches it on later`,
      ];
}

/** Asked on a terminal alone: neither `--yes` nor a program switches a model on. */
export const offerModelWording = () =>
  offerWording({
    ...commandContext(),
    config: ownConfig(),
    now: Date.now(),
    ask: (details, question) =>
      confirmed({ details, question, yes: false, json: false, isOffByDefault: true }),
  });
