// Measures the checker of memories on labelled sets: this repository, or with a folder and a JSON file any other; and the rule about
// what can be looked up on sentences about two repositories.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Place, readPlaces } from "../src/claims/index.ts";
import { judgeDerivable } from "../src/memdir/admit/derivable.ts";
import { checkTruth, readRepository } from "../src/memdir/index.ts";
import { makeCourier } from "../test/fixtures/memory/derivable/courierRepository.ts";
import {
  halvesOf,
  type LabelledSentence,
  labelledSentences,
} from "../test/fixtures/memory/derivable/labelledSentences.ts";
import { ownSentences } from "../test/fixtures/memory/derivable/ownSentences.ts";
import { type Labelled, labelled } from "../test/fixtures/memory/labelled.ts";
import type { Bench } from "./bench.ts";
import { rounded, timedNow } from "./measure.ts";

const LEAST_FOUND = 0.95;

function judge(root: string, memories: readonly Labelled[], ignore: readonly string[]) {
  let repository: ReturnType<typeof readRepository> | undefined;
  const readMs = timedNow(() => {
    repository = readRepository(path.resolve(root), { ignore: [...ignore] });
  });
  const judged: { text: string; isStale: boolean; verdict: ReturnType<typeof checkTruth> }[] = [];
  const checkMs = timedNow(() => {
    if (!repository) return;
    for (const memory of memories) judged.push({ ...memory, verdict: checkTruth(memory.text, repository) });
  });
  return { judged, readMs, checkMs };
}

function judgeSentences(set: string, sentences: readonly LabelledSentence[], places: readonly Place[]) {
  const isRefused = ({ type, text }: LabelledSentence): boolean =>
    judgeDerivable({ type, body: text }, [], places).kind === "derivable";
  const derivable = sentences.filter(({ isDerivable }) => isDerivable);
  const others = sentences.filter(({ isDerivable }) => !isDerivable);
  const [refused, kept] = [derivable.filter(isRefused), others.filter((sentence) => !isRefused(sentence))];
  return {
    row: {
      set,
      "derivable refused": `${refused.length} of ${derivable.length}`,
      "others kept": `${kept.length} of ${others.length}`,
    },
    least: Math.min(refused.length / derivable.length, kept.length / others.length),
  };
}

async function measureDerivable() {
  const folder = mkdtempSync(path.join(tmpdir(), "throughline-courier-"));
  const root = path.join(folder, "courier");
  makeCourier(root);
  const courier = await readPlaces(root, 30_000);
  rmSync(folder, { recursive: true, force: true });
  const own = (await readPlaces(process.cwd(), 30_000)).filter(
    ({ kind, name }) => kind !== "file" || !name.startsWith("test/fixtures/memory"),
  );
  const [seen, unseen] = halvesOf(labelledSentences);
  return [
    judgeSentences("courier, the half that the rules were made on", seen, courier),
    judgeSentences("courier, the half that was set aside", unseen, courier),
    judgeSentences("this repository", ownSentences, own),
  ];
}

/** Sentences about another repository, in a file beside it: what can be looked up there, and what cannot. */
interface SentenceFile {
  readonly derivable: readonly (readonly [LabelledSentence["type"], string])[];
  readonly others: SentenceFile["derivable"];
}

async function measureSentences(root: string, { derivable, others }: SentenceFile) {
  const labelledAs = (list: SentenceFile["derivable"], isDerivable: boolean) =>
    list.map(([type, text]) => ({ type, text, isDerivable }));
  const sentences = [...labelledAs(derivable, true), ...labelledAs(others, false)];
  return [judgeSentences(path.basename(root), sentences, await readPlaces(root, 30_000))];
}

const cut = (text: string): string => text.replace(/\s+/g, " ").slice(0, 76);

export const bench: Bench = {
  name: "memory",
  measures: ["src/memdir", "src/claims"],
  about:
    "Memories of which it is known whether they are stale, judged against their repository; sentences of which it is known whether they can be looked up.",
  usage: "[FOLDER FILE.json]",
  async run([root = process.cwd(), file]) {
    const given = file === undefined ? labelled : JSON.parse(readFileSync(file, "utf8"));
    const memories: readonly Labelled[] = Array.isArray(given) ? given : [];
    // What is written about the repository there is no part of it.
    const { judged, readMs, checkMs } = judge(
      root,
      memories,
      file === undefined ? ["test/fixtures/memory"] : [],
    );
    const rows = judged.map(({ text, isStale, verdict }) => ({
      right: (verdict.standing === "stale") === isStale ? "" : "!",
      is: isStale ? "stale" : "holds",
      judged: verdict.standing,
      memory: cut(text),
      evidence:
        verdict.checked.find(({ standing }) => standing === verdict.standing)?.evidence ?? "nothing to check",
    }));
    const isFlagged = ({ verdict }: (typeof judged)[number]): boolean => verdict.standing === "stale";
    const stale = judged.filter(({ isStale }) => isStale);
    const holding = judged.filter(({ isStale }) => !isStale);
    const [found, flagged] = [stale.filter(isFlagged).length, holding.filter(isFlagged).length];
    const counts = {
      memories: judged.length,
      stale: stale.length,
      "stale found": found,
      "others flagged": flagged,
      "read ms": Math.round(readMs),
      "checked ms": rounded(checkMs, 1),
    };
    const looked =
      file === undefined
        ? await measureDerivable()
        : Array.isArray(given)
          ? []
          : await measureSentences(root, given);
    return {
      findings: [
        { title: "Every memory", rows },
        { title: "In all", rows: [counts] },
        ...(looked.length === 0
          ? []
          : [{ title: "What can be looked up", rows: looked.map(({ row }) => row) }]),
      ],
      bars: [
        ...looked
          .slice(0, 2)
          .map(({ row, least }) => ({ what: `right both ways: ${row.set}`, value: least, atLeast: 0.9 })),
        ...(memories.length === 0
          ? []
          : [
              {
                what: "share of stale ones found",
                value: found / Math.max(1, stale.length),
                atLeast: LEAST_FOUND,
              },
              { what: "others flagged", value: flagged, atMost: 0 },
            ]),
      ],
    };
  },
};
