// What was read of a history for its key lines and names, in columns: small enough to be kept on disk with a session.
import { type KnownCalls, type SeenLine, seenWeights } from "./keyLines.ts";
import { firstUse, type NameUse } from "./keyNames.ts";

/** Names by themselves, and lines with those that they hold. */
interface KeyContentState {
  readonly names: Map<string, NameUse>;
  readonly lines: Map<string, { readonly line: SeenLine; readonly names: readonly NameUse[] }>;
  readonly calls: KnownCalls;
}

/** The same in columns; `ends` say where the part of each row ends. */
export interface PackedKeyContent {
  readonly sources: readonly string[];
  readonly names: readonly string[];
  readonly nameSources: Uint32Array;
  readonly uses: Float64Array;
  readonly useEnds: Uint32Array;
  /** The message that used each name last, and the ways of being seen that were counted there. */
  readonly counted: Int32Array;
  readonly lines: readonly string[];
  /** Source, message and way of being seen of each line. */
  readonly places: Uint32Array;
  /** -1 for a line without one. */
  readonly numbers: Int32Array;
  readonly held: Uint32Array;
  readonly heldEnds: Uint32Array;
  readonly calls: readonly (readonly [id: string, name: string, source: string])[];
}

/** A result comes soon after its call. */
const CALLS_KEPT = 512;
const waysSeen = Object.keys(seenWeights) as SeenLine["seen"][];

/** Gives each value a number, by its first appearance. */
class Numbered {
  readonly values: string[] = [];
  readonly #numbers = new Map<string, number>();

  of(value: string) {
    let number = this.#numbers.get(value);
    if (number === undefined) {
      number = this.values.push(value) - 1;
      this.#numbers.set(value, number);
    }
    return number;
  }
}

/** Where each of these lists ends, one behind the other. */
function endsOf(lists: readonly { readonly length: number }[]) {
  let end = 0;
  return Uint32Array.from(lists, ({ length }) => {
    end += length;
    return end;
  });
}

export function packKeyContent({ names, lines, calls }: KeyContentState): PackedKeyContent {
  const sources = new Numbered();
  const uses = [...names.values()];
  const candidates = [...lines.values()];
  const places = new Map(uses.map((use, at) => [use, at]));
  return {
    names: uses.map(({ name }) => name),
    nameSources: Uint32Array.from(uses, ({ source }) => sources.of(source)),
    uses: Float64Array.from(uses.flatMap((use) => use.uses)),
    useEnds: endsOf(uses.map((use) => use.uses)),
    counted: Int32Array.from(uses.flatMap(({ countedAt, countedWays }) => [countedAt, countedWays])),
    lines: candidates.map(({ line }) => line.text),
    places: Uint32Array.from(
      candidates.flatMap(({ line }) => [sources.of(line.source), line.at, waysSeen.indexOf(line.seen)]),
    ),
    numbers: Int32Array.from(candidates, ({ line }) => line.number ?? -1),
    held: Uint32Array.from(candidates.flatMap((line) => line.names.map((use) => places.get(use) ?? 0))),
    heldEnds: endsOf(candidates.map((line) => line.names)),
    calls: [...calls].slice(-CALLS_KEPT).map(([id, { name, source }]) => [id, name, source]),
    sources: sources.values,
  };
}

export function unpackKeyContent(packed: PackedKeyContent): KeyContentState {
  const { sources, nameSources, counted, useEnds, places, numbers, heldEnds } = packed;
  const uses = packed.names.map((name, at): NameUse => {
    const use = firstUse(name, sources[nameSources[at] as number] as string);
    for (let from = useEnds[at - 1] ?? 0; from < (useEnds[at] as number); from++)
      use.uses.push(packed.uses[from] as number);
    [use.countedAt, use.countedWays] = [counted[2 * at] as number, counted[2 * at + 1] as number];
    return use;
  });
  const lines = packed.lines.map((text, at) => {
    const source = sources[places[3 * at] as number] as string;
    const seen = waysSeen[places[3 * at + 2] as number] as SeenLine["seen"];
    const place = { source, text, at: places[3 * at + 1] as number, seen };
    const number = numbers[at] as number;
    const names: NameUse[] = [];
    for (let from = heldEnds[at - 1] ?? 0; from < (heldEnds[at] as number); from++)
      names.push(uses[packed.held[from] as number] as NameUse);
    return { line: number < 0 ? place : { ...place, number }, names };
  });
  return {
    names: new Map(uses.map((use) => [use.name, use])),
    lines: new Map(lines.map((candidate) => [candidate.line.text, candidate])),
    calls: new Map(packed.calls.map(([id, name, source]) => [id, { name, source }])),
  };
}
