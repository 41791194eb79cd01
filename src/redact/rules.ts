// The scan with Throughline's own rules, which need no package: everything that looks like a secret in a text.
import { assignmentFinder } from "./assignment/find.ts";
import { beginScan, type Finder } from "./finder.ts";
import { type Find, type Found, hideFinds, mergeFinds } from "./found.ts";
import { privateStretches } from "./privateTags.ts";
import { connectionStringFinder, oracleFinder, signatureFinder, urlFinder } from "./shapes/addresses.ts";
import { cardFinder, findGroupedCards } from "./shapes/cards.ts";
import { commandFinder, userFlagFinder } from "./shapes/commands.ts";
import { fileFinders } from "./shapes/files.ts";
import { hashFinder } from "./shapes/hashes.ts";
import { cookieFinder, schemeFinder, sessionCookieFinder } from "./shapes/headers.ts";
import { privateKeyFinder } from "./shapes/pem.ts";
import { Sights } from "./sights.ts";
import { findDiscordTokens, tokenFinder } from "./tokens/find.ts";

/** Nothing shorter can hold a secret that a rule would recognise. */
const SHORTEST = 8;

export interface Redaction {
  readonly text: string;
  /** What was found, in order, as offsets into the text that was given. */
  readonly found: readonly Found[];
}

export type Redact = (text: string) => Redaction;

const privateFinder: Finder = {
  landmarks: ["<private", "&lt;private", "\\u003cprivate"],
  scan: (text) => privateStretches(text).map((stretch) => ({ kind: "private", ...stretch, rank: 9 })),
};

const ownFinders: readonly Finder[] = [
  privateFinder,
  privateKeyFinder,
  tokenFinder,
  urlFinder,
  oracleFinder,
  signatureFinder,
  connectionStringFinder,
  schemeFinder,
  cookieFinder,
  sessionCookieFinder,
  ...fileFinders,
  hashFinder,
  commandFinder,
  userFlagFinder,
  cardFinder,
  assignmentFinder,
];

/** What has no landmark but is cheap to look for. */
const everywhere = [findDiscordTokens, findGroupedCards];

function sightsOf(finders: readonly Finder[]): Sights<Finder> {
  return new Sights(
    finders.flatMap((finder) =>
      finder.landmarks.filter((literal) => literal !== "").map((literal) => [literal, finder] as const),
    ),
  );
}

/** Builds a scan out of our own rules and others. Linear in the length of the text. */
export function createRedact(others: readonly Finder[] = []): Redact {
  const finders = [...ownFinders, ...others];
  const always = [
    ...everywhere,
    ...finders.flatMap(({ landmarks, scan }) => (scan && landmarks.includes("") ? [scan] : [])),
  ];
  // Built for the first text: many programs load the rules and never meet one.
  let sights: Sights<Finder> | undefined;
  return (text) => {
    if (text.length < SHORTEST) return { text, found: [] };
    const finds: Find[] = [];
    const called = new Set<Finder>();
    beginScan();
    sights ??= sightsOf(finders);
    sights.scan(text, (finder, at, literal) => {
      const found = finder.look?.(text, at, literal);
      if (found) finds.push(...(Array.isArray(found) ? found : [found]));
      if (finder.scan) called.add(finder);
    });
    for (const { scan } of called) finds.push(...(scan?.(text) ?? []));
    for (const scan of always) finds.push(...scan(text));
    if (finds.length === 0) return { text, found: [] };
    return { text: hideFinds(text, finds), found: mergeFinds(finds) };
  };
}
