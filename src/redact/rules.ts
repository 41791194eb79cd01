// The scan with Throughline's own rules, which need no package: everything that looks like a secret in a text.
import { assignmentFinder } from "./assignment/find.ts";
import {
  beginScan,
  type Find,
  type Finder,
  type Found,
  landmarksOf,
  placedFinds,
  reportFinds,
} from "./found.ts";
import { PatternMatcher } from "./patternMatcher.ts";
import { privateStretches } from "./privateTags.ts";
import { KnownSecrets } from "./repeats.ts";
import { addressFinders } from "./shapes/addresses.ts";
import { argumentFinder } from "./shapes/arguments.ts";
import { cardFinders } from "./shapes/cards.ts";
import { commandFinders } from "./shapes/commands.ts";
import { fileFinders } from "./shapes/files.ts";
import { hashFinder } from "./shapes/hashes.ts";
import { headerFinders } from "./shapes/headers.ts";
import { privateKeyFinder } from "./shapes/pem.ts";
import { tableFinders } from "./shapes/tables.ts";
import type { TimeLimit } from "./timeLimit.ts";
import { tokenFinders } from "./tokens/find.ts";
import { sameView, TERMINAL_LANDMARKS, withoutTerminalSequences } from "./view.ts";

/** Nothing shorter can hold a secret that a rule would recognise. */
const SHORTEST_SCANNED_TEXT = 8;
/** Landmarks between two checks of the time limit. */
const CHECKED_EVERY = 1_024;

export interface Redaction {
  readonly text: string;
  /** What was found, in order, as offsets into the text that was given. */
  readonly found: readonly Found[];
}

interface ScanOptions {
  /** When it is reached, RedactionOverdue is thrown. */
  readonly limit?: TimeLimit;
  /** Values that were hidden, to be looked for in what belongs to the text. */
  readonly known?: KnownSecrets;
}

/** Throws nothing but RedactionOverdue. */
export type Redact = (text: string, options?: ScanOptions) => Redaction;

/** Detects terminal sequences; such a text is scanned without them. */
const terminalFinder: Finder = { name: "terminal", landmarks: TERMINAL_LANDMARKS };

const privateFinder: Finder = {
  name: "private-tags",
  landmarks: "<private|&lt;private|\\u003cprivate",
  scan: privateStretches,
};

/** Every rule of our own. */
export const ownFinders: readonly Finder[] = [
  privateFinder,
  privateKeyFinder,
  ...tokenFinders,
  ...addressFinders,
  ...headerFinders,
  ...fileFinders,
  hashFinder,
  ...commandFinders,
  ...cardFinders,
  assignmentFinder,
  argumentFinder,
  ...tableFinders,
];

function matcherOf(finders: readonly Finder[]) {
  return new PatternMatcher(
    finders.flatMap((finder) =>
      landmarksOf(finder)
        .filter((literal) => literal !== "")
        .map((literal) => ({ literal, owner: finder })),
    ),
  );
}

/** Kinds whose text is no value that could stand elsewhere by itself. */
const unrepeated = new Set(["private", "private-key", "seed-phrase"]);

function noteSecrets(text: string, finds: readonly Find[], known: KnownSecrets) {
  for (const { kind, start, end, hidden, secret } of finds) {
    if (unrepeated.has(kind)) continue;
    const range = secret ?? hidden ?? { start, end };
    known.add(text.slice(range.start, range.end), kind);
  }
}

/** Builds a scan out of rules. Linear in the length of the text. */
export function createRedact(finders: readonly Finder[]): Redact {
  const always = finders.filter((finder) => landmarksOf(finder).includes(""));
  // Built lazily: many programs load the rules and never scan a text.
  let matcher: PatternMatcher<Finder> | undefined;
  const findsIn = (text: string, limit: TimeLimit | undefined) => {
    let finds: Find[] = [];
    const called = new Set(always);
    let [visits, isColoured] = [0, false];
    beginScan();
    matcher ??= matcherOf([...finders, terminalFinder]);
    matcher.scan(text, (finder, at, literal) => {
      visits += 1;
      if (limit && visits % CHECKED_EVERY === 0) limit.check(finder.name);
      isColoured ||= finder === terminalFinder;
      const found = finder.look?.(text, at, literal);
      if (found) for (const find of Array.isArray(found) ? found : [found]) finds.push(find);
      if (finder.scan) called.add(finder);
    });
    for (const { name, scan } of called) {
      limit?.check(name);
      const more = scan?.(text) ?? [];
      // Avoids a copy: a text may hold a hundred thousand finds.
      if (more.length > 0) finds = finds.length === 0 ? more : finds.concat(more);
    }
    return { finds, isColoured };
  };
  return (text, { limit, known = new KnownSecrets() } = {}) => {
    if (text.length < SHORTEST_SCANNED_TEXT) return { text, found: [] };
    const asIs = findsIn(text, limit);
    const view = asIs.isColoured ? withoutTerminalSequences(text) : sameView(text);
    const { finds } = asIs.isColoured ? findsIn(view.text, limit) : asIs;
    if (finds.length === 0) return { text, found: [] };
    limit?.check("repeated values");
    noteSecrets(view.text, finds, known);
    if (!known.isEmpty) for (const repeat of known.find(view.text)) finds.push(repeat);
    const placed = view.text === text ? finds : placedFinds(finds, view);
    return reportFinds(text, placed);
  };
}
