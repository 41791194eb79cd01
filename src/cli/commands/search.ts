// `throughline search`, `timeline` and `show`: what is stored, found and printed.
import { workerSocket } from "../../home/index.ts";
import { typeIcons } from "../../inject/index.ts";
import { ask } from "../../ipc/index.ts";
import { defined, observationTypes, SECOND, usageError } from "../../lib/index.ts";
import { type Hit, hitFrom } from "../../search/index.ts";
import type { Scope, Store } from "../../store/index.ts";
import { type FinderAnswers, finderAnswers, makeFinder, memorySources } from "../../tools/index.ts";
import { defineCommand, flag, integer, value } from "../command.ts";
import { commandContext, scopeArgs, scopeFrom, withDatabase } from "../context.ts";
import { columns, exitCodes, localMinute, widthOf, wrapped } from "../output.ts";
import { paint, screenOf } from "../terminal.ts";

function label({ kind, type, speaker }: Hit) {
  const icons: Readonly<Record<string, string>> = typeIcons;
  if (kind === "observation") return `${icons[type ?? ""] ?? "•"} ${type}`;
  return kind === "message" ? `${speaker}` : kind;
}

function explanation({ score, matched = [], factor, why }: Hit) {
  if (!why) return [];
  const parts = why.map(({ signal, points }) => `${signal} ${points.toFixed(3)}`);
  const sum = `    = ${score} (${parts.join(", ")}); class ${factor}; matched: ${matched.join(" ") || "no word"}`;
  return [sum, ...why.flatMap(({ signal, basis }) => (basis ? `      ${signal}: ${basis}` : []))];
}

/** The text without its title, which is printed above; a title that was cut continues where it ended. */
function beyondTitle(text: string, title: string) {
  const begun = title.replace(/…$/, "");
  if (!text.startsWith(begun)) return text;
  const rest = text.slice(begun.length).trim();
  return begun === title || rest === "" ? rest : `…${rest}`;
}

/** The lines of a text, without repeated ones and without the title. */
function wholeText(text: string, title: string) {
  const lines = text.split("\n").filter((line, at, all) => line !== all[at - 1]);
  return (lines[0] === title ? lines.slice(1) : lines).map((line) => `    ${line}`.trimEnd());
}

const NARROWEST = 20;

/** A text wrapped at the terminal's width, with the first line's indentation. */
function hanging(before: string, text: string, terminal: number) {
  const start = widthOf(before);
  return before + wrapped(text, Math.max(NARROWEST, terminal - start)).join(`\n${" ".repeat(start)}`);
}

/** One line per item, and below it what the layer adds. Without a terminal no line is wrapped. */
export function hitLines(
  hits: readonly Hit[],
  marked?: string,
  terminal = screenOf("stdout").columns ?? Number.POSITIVE_INFINITY,
) {
  const heads = columns(
    hits.map((hit) => [
      hit.ref === marked ? `▶ ${hit.ref}` : hit.ref,
      localMinute(hit.at),
      label(hit),
      `~${hit.tokens}`,
      hit.title,
    ]),
  ).split("\n");
  return hits
    .flatMap((hit, at) => [
      paint("bold", hanging((heads[at] ?? "").slice(0, -hit.title.length || undefined), hit.title, terminal)),
      ...(hit.standing === undefined ? [] : [paint("dim", `    ${hit.standing}`)]),
      ...(hit.stale ?? []).map((evidence) => paint("yellow", `    STALE: ${evidence}`)),
      ...[beyondTitle(hit.excerpt ?? "", hit.title)]
        .filter(Boolean)
        .map((text) => hanging("    ", text, terminal)),
      ...(hit.text === undefined ? [] : wholeText(hit.text, hit.title)),
      ...(hit.turn ? [paint("dim", `    of the same turn: ${hit.turn.join(" ")}`)] : []),
      ...(hit.neighbours ?? []).map(({ ref, title }) =>
        paint("dim", hanging("    ", `beside it: ${ref} ${title}`, terminal)),
      ),
      ...explanation(hit),
    ])
    .join("\n");
}

const ANSWER_TIMEOUT_MS = 20 * SECOND;

/** Asks the worker; searches the database itself when none answers, or one that does not know the request. */
export async function askFinder<K extends keyof FinderAnswers>(
  what: K,
  request: Readonly<Record<string, unknown>>,
) {
  const { home, env, cwd } = commandContext();
  const args = { ...request, folder: cwd };
  const reply = await ask(workerSocket(home), what, { args, timeoutMs: ANSWER_TIMEOUT_MS });
  if (typeof reply === "object" && reply.ok) return finderAnswers[what].parse(reply.data);
  if (typeof reply === "object" && reply.error.code === "usage") throw usageError(reply.error.message);
  return withDatabase(
    (store) => makeFinder({ store, memoriesFrom: memorySources({ home, env, store }) })[what](args),
    "read",
  );
}

/** The filters among the arguments, with the project as its id. */
export async function filterFrom(args: Parameters<typeof scopeFrom>[1]): Promise<Scope> {
  if (args.project !== undefined) return withDatabase((store) => scopeFrom(store, args), "read");
  const { session, from, to } = args;
  return defined({ session, from, to });
}

const timeArgs = {
  since: value("time", "from then on: 2d, yesterday, last Friday, 上周五, a day"),
  until: value("time", "up to then"),
};

const search = defineCommand({
  args: {
    ...scopeArgs,
    ...timeArgs,
    kind: value("kinds", "only these: observation, summary, prompt, message, memory"),
    type: value("types", "only observations of these types"),
    file: value("path", "only observations about this file"),
    concept: value("word", "only observations with this concept"),
    agent: value("name", "only what comes from sessions of this agent: claude-code, codex"),
    limit: integer("n", "how many (default: 20)"),
    offset: integer("n", "how many to skip"),
    layer: value("layer", "how much of each: index, context or full"),
    explain: flag("show why each was found"),
  },
  rest: "query",
  examples: {
    "throughline search why did we drop the retry queue": "plain words, best answers first",
    "throughline search '\"user auth\" AND (JWT OR session) NOT deprecated'": "exactly that",
    "throughline search title:login --type bugfix,decision": "in one column, of some types",
    "throughline search 数据库 连接 --project . --explain": "in this project, with the reasons",
    "throughline search what did we do yesterday": "everything of that day",
    "throughline search parser --since 2d": "of the last two days",
  },
  async run({ args, rest }) {
    const { kind, type, file, concept, agent, layer, explain, limit, offset, since, until } = args;
    const answer = await askFinder("search", {
      query: rest.join(" "),
      ...(await filterFrom(args)),
      ...defined({ since, until }),
      kind,
      type,
      file,
      concept,
      agent,
      layer,
      explain,
      limit,
      offset,
    });
    return {
      data: answer,
      text: [
        hitLines(answer.hits) || "Nothing was found.",
        answer.more && "There are more; --offset skips these.",
        ...answer.notes,
      ],
    };
  },
});

const timeline = defineCommand({
  args: {
    project: scopeArgs.project,
    session: scopeArgs.session,
    ...timeArgs,
    before: integer("n", "how many before it (default: 10)"),
    after: integer("n", "how many after it (default: 10)"),
    layer: value("layer", "how much of each: index, context or full"),
  },
  rest: "around",
  examples: {
    "throughline timeline '#12'": "around an observation",
    "throughline timeline 2026-11-16T09:30:00Z --before 3": "around a time",
    "throughline timeline the login that failed": "around the best answer to a query",
    "throughline timeline yesterday": "of a day",
    "throughline timeline": "the latest",
  },
  async run({ args: { before, after, layer, since, until, ...filter }, rest }) {
    const around = rest.join(" ") || undefined;
    const request = {
      ...defined({ around, since, until }),
      ...{ layer, ...(await filterFrom(filter)), before, after },
    };
    const found = await askFinder("timeline", request);
    return { data: found, text: hitLines(found.items, found.middle) || "Nothing was found." };
  },
});

function checkedType(word: string | undefined) {
  const type = observationTypes.find((known) => known === word);
  if (type === word) return type;
  throw usageError(`there is no type ${word}`, `one of ${observationTypes.join(", ")}`);
}

const rowListings = {
  async observations(store: Store, filter: Filter, type: string | undefined): Promise<Listing> {
    const page = await store.observations({ ...filter, ...defined({ type: checkedType(type) }) });
    const hits = page.items.map((row) => hitFrom({ kind: "observation", row }, { layer: "index" }));
    return { page, hits };
  },
  async summaries(store: Store, filter: Filter): Promise<Listing> {
    const page = await store.summaries(filter);
    return { page, hits: page.items.map((row) => hitFrom({ kind: "summary", row }, { layer: "full" })) };
  },
};

type Filter = Scope & { readonly cursor?: string; readonly limit?: number };
type Listing = { readonly page: { readonly next?: string | undefined }; readonly hits: Hit[] };

const isListing = (word: string | undefined): word is keyof typeof rowListings =>
  word !== undefined && Object.hasOwn(rowListings, word);

const show = defineCommand({
  args: {
    ...scopeArgs,
    type: value("type", "with observations: only of this type"),
    limit: integer("n", "with observations or summaries: how many (default: 50)"),
    cursor: value("cursor", "with observations or summaries: the page that follows"),
  },
  rest: "ids",
  examples: {
    "throughline show '#12' S3": "an observation and a summary",
    "throughline show 12 13 14 --json": "observations, for a program",
    "throughline show observations --project .": "the newest of this project",
    "throughline show observations --type decision --json": "decisions, for a program",
    "throughline show summaries --project . --limit 10": "the last ten of this project",
  },
  async run({ args, rest }) {
    const [what] = rest;
    if (isListing(what) && rest.length === 1) {
      const { cursor, limit, type } = args;
      const filter = { ...(await filterFrom(args)), ...defined({ cursor, limit }) };
      const { page, hits } = await withDatabase((store) => rowListings[what](store, filter, type), "read");
      const more = page.next && `There are more: --cursor ${page.next}`;
      return { data: page, text: [hitLines(hits) || `There are no ${what} yet.`, more] };
    }
    if (rest.length === 0) {
      throw usageError(
        "show needs ids, or observations or summaries",
        "ids as search and timeline print them: '#12', S3, P7, M40",
      );
    }
    const found = await askFinder("show", { refs: rest });
    const missing = found.missing.map((ref) => `There is nothing with the id ${ref}.`);
    return {
      data: found,
      text: [hitLines(found.items) || undefined, ...missing],
      exitCode: found.items.length === 0 ? exitCodes.failure : exitCodes.ok,
    };
  },
});

export default { search, timeline, show };
