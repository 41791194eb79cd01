// How well search finds what answers a question: sets of documents and questions through the product's own store.
import { type Embedder, openPackaged } from "../src/embed/index.ts";
import { sha256 } from "../src/lib/index.ts";
import { embedNext, type SearchParts, type Tuning, tuning } from "../src/search/index.ts";
import { type Bench, type Cell, type Finding, UsageError } from "./bench.ts";
import { inFolder, option, rounded } from "./measure.ts";
import { ablate } from "./retrieval/ablation.ts";
import { type Answered, ask, type Granularity, granularities, unique } from "./retrieval/ask.ts";
import { openOracle, openRandom } from "./retrieval/embedders.ts";
import { folds } from "./retrieval/folds.ts";
import { meanOf, type Scores } from "./retrieval/measures.ts";
import { openSet, type Query, type QuerySet } from "./retrieval/sets.ts";

/** Two halves of the questions that have nothing to do with what they are about. */
const half = ({ id }: Query): string =>
  Number.parseInt(sha256(id).slice(0, 4), 16) % 2 === 0 ? "half A" : "half B";

function rowsOf(answered: readonly Answered[]): Record<string, Cell>[] {
  const rows: Record<string, Cell>[] = [];
  const add = (name: string, granularity: Granularity, some: readonly Answered[]): void => {
    const given = some.flatMap(({ scores: all }) => all[granularity] ?? []);
    if (given.length > 0)
      rows.push({ questions: name, by: granularity, count: given.length, ...meanOf(given) });
  };
  for (const granularity of granularities) add("all", granularity, answered);
  const [first] = answered;
  const finest = first?.scores.row === undefined ? "session" : "row";
  const groupings = [half, ({ category }: Query) => category];
  for (const nameOf of groupings)
    for (const name of unique(answered.map(({ query }) => nameOf(query))).sort())
      add(
        name,
        finest,
        answered.filter(({ query }) => nameOf(query) === name),
      );
  return rows;
}

const missedIn = (answered: readonly Answered[]): string[] =>
  answered
    .filter(({ scores: { row, session } }) => (row ?? session)?.["any@5"] === 0)
    .map(({ query }) => `missed: ${query.category}: ${query.text.slice(0, 200)}`);

/** Of one question with other numbers than the product's. */
async function scoresOf(set: QuerySet, tuned: Tuning): Promise<Scores[]> {
  const { answered } = await ask(set, { tuning: tuned });
  return answered.flatMap(({ scores: { row, session } }) => row ?? session ?? []);
}

async function embedAll({ store }: QuerySet, embedder: Embedder): Promise<void> {
  while ((await embedNext(store, embedder)) > 0);
}

/** `session:0.5,prose:1.1,askedFor:0.4`: other numbers for weights and classes. */
function changed(text: string): Tuning {
  let [weights, classFactors, askedFor] = [tuning.weights, tuning.classFactors, tuning.askedFor];
  for (const pair of text.split(",").filter((one) => one !== "")) {
    const [name = "", value] = pair.split(":");
    const number = Number(value);
    if (name === "askedFor") askedFor = number;
    else if (name in weights) weights = { ...weights, [name]: number };
    else if (name in classFactors) classFactors = { ...classFactors, [name]: number };
    else throw new UsageError();
  }
  return { ...tuning, weights, classFactors, askedFor };
}

async function measure(set: QuerySet, args: readonly string[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  const tuned = changed(option(args, "weights") ?? "");
  const add = async (how: string, by: Pick<SearchParts, "embedder">): Promise<void> => {
    const { answered, ms, notes } = await ask(set, { ...by, tuning: tuned });
    findings.push({
      title: `${set.name}: ${set.documents} documents, by ${how}`,
      rows: rowsOf(answered),
      notes: [
        `${rounded(ms, 1)} ms a question; peak memory ${Math.round(process.resourceUsage().maxRSS / 1_024)} MB.`,
        ...(notes === 0 ? [] : [`The vector of ${notes} questions was late.`]),
        ...(args.includes("--misses") ? missedIn(answered) : []),
      ],
    });
  };
  await add("words", {});
  const embedder = await embedderOf(option(args, "embedder"), set);
  if (embedder === undefined) return findings;
  try {
    await embedAll(set, embedder);
    await add(`words and ${embedder.id}`, { embedder: async () => embedder });
  } finally {
    await embedder.close();
  }
  return findings;
}

async function embedderOf(name: string | undefined, set: QuerySet): Promise<Embedder | undefined> {
  if (name === undefined) return undefined;
  if (name === "packaged") return openPackaged();
  if (name === "oracle") return openOracle(set);
  if (name === "random") return openRandom();
  throw new UsageError();
}

export const bench: Bench = {
  name: "retrieval",
  measures: ["src/search", "src/terms", "src/dates", "src/store"],
  about:
    "How well search finds what answers a question: sets of documents and questions through the product's own store.",
  usage:
    "FILE.jsonl… [--store=FOLDER] [--misses] [--ablate [--table=FILE.md]] [--folds] [--weights=NAME:NUMBER,…] [--embedder=packaged|oracle|random]",
  async run(args) {
    const files = args.filter((argument) => !argument.startsWith("--"));
    if (files.length === 0) throw new UsageError();
    return inFolder("retrieval", async (folder) => {
      const findings: Finding[] = [];
      const sets: QuerySet[] = [];
      try {
        for (const file of files) sets.push(await openSet(file, option(args, "store") ?? folder));
        if (args.includes("--ablate"))
          findings.push(...(await ablate(sets, scoresOf, option(args, "table"))));
        else if (args.includes("--folds")) for (const set of sets) findings.push(await folds(set, scoresOf));
        else for (const set of sets) findings.push(...(await measure(set, args)));
      } finally {
        for (const { store } of sets) await store.close();
      }
      return { findings };
    });
  },
};
