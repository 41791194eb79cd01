// The example of docs/search.md, computed twice: by the formula as a reader would do it, and by search.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { openStore } from "../store/index.ts";
import { search } from "./search.ts";

const rows = [
  {
    session: "monday",
    title: "Fixed the retry queue",
    narrative: "The queue lost jobs when a worker ended.",
  },
  { session: "tuesday", title: "Measured the queue", narrative: "It holds a thousand jobs." },
  { session: "friday", title: "Wrote the report", narrative: "A retry is mentioned in its second part." },
] as const;

/** The terms of each row as the index has them, stop words among them. */
const terms = [
  "fix the retri queue the queue lose job when a worker end",
  "measur the queue it hold a thousand job",
  "write the report a retri is mention in it second part",
].map((text) => text.split(" "));

const titles = [
  ["fix", "retri", "queue"],
  ["measur", "queue"],
  ["write", "report"],
];
const asked = ["retri", "queue"];

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const largest = (values: readonly number[]): number => Math.max(...values);
const shown = (value: number): string => value.toFixed(3);

/** Worth, bm25, the signals and the score of each row, as the page says. */
function byHand() {
  const mean = sum(terms.map(({ length }) => length)) / terms.length;
  const count = (row: readonly string[], term: string): number => row.filter((one) => one === term).length;
  const worth = asked.map((term) => {
    const has = terms.filter((row) => row.includes(term)).length;
    return Math.log(1 + (terms.length - has + 0.5) / (has + 0.5));
  });
  const bm25 = (row: readonly string[], length: number): number =>
    sum(
      asked.map((term, at) => {
        const f = count(row, term);
        return ((worth[at] ?? 0) * f * 2.2) / (f + 1.2 * (0.4 + (0.6 * length) / mean));
      }),
    );
  const own = terms.map((row) => bm25(row, row.length));
  const whole = terms.map((row) => bm25(row, mean));
  const title = titles.map((words) => {
    const has = asked.map((term, at) => (words.includes(term) ? (worth[at] ?? 0) : 0));
    return (sum(has) / sum(worth) + has.filter((one) => one > 0).length / words.length) / 2;
  });
  const signals = rows.map((_, at) => ({
    passage: (own[at] ?? 0) / largest(own),
    around: (0.7 * (whole[at] ?? 0)) / largest(whole),
    title: 0.8 * (title[at] ?? 0),
    session: (0.8 * ((own[at] ?? 0) / largest(own))) / 3,
  }));
  return { mean, worth, own, signals, scores: signals.map((one) => sum(Object.values(one))) };
}

it("has the score that a reader computes by hand, and the page has the numbers", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "throughline-example-"));
  const store = await openStore({ file: path.join(folder, "throughline.db") });
  await store.addObservations(
    rows.map((row, at) => ({
      ...{ project: "app", promptNumber: 1, type: "change" as const },
      ...{ at: new Date(Date.UTC(2026, 10, 16 + at)).toISOString() },
      ...row,
    })),
  );
  const { hits } = await search({ store }, { query: "retry queue", explain: true });
  await store.close();
  rmSync(folder, { recursive: true, force: true });
  const { mean, worth, own, signals, scores } = byHand();
  for (const [at, score] of scores.entries()) {
    const hit = hits.find(({ ref }) => ref === `#${at + 1}`);
    expect(hit?.score).toBeCloseTo(score, 3);
    const points = Object.fromEntries((hit?.why ?? []).map((one) => [one.signal, one.points]));
    for (const [name, value] of Object.entries(signals[at] ?? {}))
      expect({ name, value: points[name] ?? 0 }).toEqual({ name, value: expect.closeTo(value, 3) });
  }
  const page = readFileSync(path.resolve(import.meta.dirname, "../../docs/search.md"), "utf8");
  const lines = [
    ` worth(retri) = ln(1 + 1.5/2.5) = ${shown(worth[0] ?? 0)}      worth(queue) = ${shown(worth[1] ?? 0)}      mean = ${mean.toFixed(2)} terms`,
    ...signals.map(
      (one, at) =>
        ` #${at + 1}  bm25 ${shown(own[at] ?? 0)}   passage ${shown(one.passage)} + around ${shown(one.around)} + title ${shown(one.title)} + session ${shown(one.session)} = ${shown(scores[at] ?? 0)}`,
    ),
  ];
  expect(page).toContain(lines.join("\n"));
  const first = hits.find(({ ref }) => ref === "#1")?.why ?? [];
  const numbers = first.map(({ signal, basis }) => ` ${signal}: ${basis}`);
  expect(numbers.map((line) => line.slice(0, line.indexOf(":")))).toEqual([
    " passage",
    " around",
    " title",
    " session",
  ]);
  expect(page).toContain(numbers.join("\n"));
});
