// The timeline: entries before and after an item, a time, or the best hit of a query.
import { z } from "zod";
import { readTimeSpan, type TimeSpan } from "../dates/index.ts";
import { defined } from "../lib/index.ts";
import { type IndexEntry, type SearchIndex, searchableText } from "../store/index.ts";
import { hitFrom, type RowStore, readRef, refOf, roughTokens, rowsOf, titleOf } from "./hits.ts";
import { type Hit, hitSchema, isNamed, type Layer, type MemorySource, type SearchFilter } from "./model.ts";
import { type SearchParts, search } from "./search.ts";

export interface TimelineParts extends SearchParts {
  readonly store: SearchParts["store"] & Pick<SearchIndex, "entriesOf" | "timeline">;
}

export interface TimelineRequest extends Pick<SearchFilter, "projects" | "session" | "from" | "to"> {
  /** A ref such as `#12`, a time, or words: then the best hit is the middle. Absent: the latest. */
  readonly around?: string;
  /** 10 unless given. */
  readonly before?: number;
  readonly after?: number;
  readonly layer?: Layer;
}

export const timelineSchema = z.object({
  /** The ref of what stands in the middle; absent around a time, and where nothing was found. */
  middle: z.string().exactOptional(),
  /** Oldest first. */
  items: z.array(hitSchema).readonly(),
});

export type Timeline = Readonly<z.output<typeof timelineSchema>>;

const DEFAULT_DEPTH = 10;

/** A timeline shows messages only around a message; otherwise only what was made of them. */
export const withoutTalk = ["observation", "summary", "prompt"] as const;

async function middleOf(
  parts: TimelineParts,
  { around, projects, session }: TimelineRequest & { readonly around: string },
) {
  if (readRef(around)) return around;
  // A memory has no place among the rows; its time has.
  const memory = /\.md$/i.test(around)
    ? (await parts.memories?.memories())?.find((one) => isNamed(one, around))
    : undefined;
  if (memory) return { at: memory.at };
  if (/^\d{4}-\d\d-\d\d/.test(around) && !Number.isNaN(Date.parse(around)))
    return { at: new Date(around).toISOString() };
  const { hits } = await search(parts, {
    query: around,
    limit: 1,
    layer: "index",
    kinds: [...withoutTalk, "message"],
    ...defined({ projects, session }),
  });
  return hits[0]?.ref;
}

/** A time in words is a span; one that is written as a date or a time is a moment in the middle. */
const spanOf = (around: string) =>
  /^\d{4}-\d\d-\d\d/.test(around.trim()) ? undefined : readTimeSpan(around, Date.now());

async function rendered(parts: TimelineParts, entries: readonly IndexEntry[], layer: Layer) {
  const rows = await rowsOf(parts.store, entries);
  return entries.flatMap(({ kind, ref }) => {
    const indexed = rows.get(refOf(kind, ref));
    return indexed ? hitFrom(indexed, { layer }) : [];
  });
}

/** The latest of a time, or of all. */
async function latest(parts: TimelineParts, request: TimelineRequest, span: TimeSpan | undefined) {
  const { projects, session, before = DEFAULT_DEPTH, after = DEFAULT_DEPTH, layer = "index" } = request;
  const isoOf = (epoch: number) => new Date(epoch).toISOString();
  const { from = span && isoOf(span.from), to = span && isoOf(span.to) } = request;
  const filter = { kinds: withoutTalk, ...defined({ projects, session, from, to }) };
  const entries = await parts.store.entries(filter, before + after + 1);
  return { items: await rendered(parts, entries.reverse(), layer) };
}

export async function timeline(parts: TimelineParts, request: TimelineRequest): Promise<Timeline> {
  const { around: asked } = request;
  const span = asked === undefined ? undefined : spanOf(asked);
  if (asked === undefined || span) return latest(parts, request, span);
  const { projects, session, before = DEFAULT_DEPTH, after = DEFAULT_DEPTH, layer = "index" } = request;
  const middle = await middleOf(parts, { ...request, around: asked });
  if (middle === undefined) return { items: [] };
  const named = typeof middle === "string" ? readRef(middle) : undefined;
  const [entry] = named ? await parts.store.entriesOf([named]) : [];
  if (named && !entry) return { items: [] };
  const around = entry?.id ?? (typeof middle === "object" ? middle : undefined);
  if (around === undefined) return { items: [] };
  const { from, to } = request;
  const entries = await parts.store.timeline({
    around,
    before,
    after,
    kinds: entry?.kind === "message" ? [...withoutTalk, "message"] : withoutTalk,
    // Around an item, what belongs to it is what its own project did.
    ...defined({ projects: projects ?? (entry && [entry.project]), session, from, to }),
  });
  const items = await rendered(parts, entries, layer);
  return typeof middle === "string" ? { items, middle } : { items };
}

export const shownSchema = z.object({
  /** In the order of the refs, with their whole text. */
  items: z.array(hitSchema).readonly(),
  /** Refs that name nothing. */
  missing: z.array(z.string()).readonly(),
});

export type Shown = Readonly<z.output<typeof shownSchema>>;

/** What stands right before and after an item in its session, of its own sort. */
async function neighboursOf(
  store: Pick<SearchIndex, "entriesOf" | "timeline"> & RowStore,
  row: NonNullable<ReturnType<typeof readRef>>,
): Promise<Pick<Hit, "neighbours">> {
  const [entry] = await store.entriesOf([row]);
  if (!entry) return {};
  const kinds = entry.kind === "message" ? (["message"] as const) : withoutTalk;
  const request = { around: entry.id, session: entry.session, kinds, before: 1, after: 1 };
  const others = (await store.timeline(request)).filter(({ id }) => id !== entry.id);
  const rows = await rowsOf(store, others);
  const neighbours = others.flatMap(({ kind, ref }) => {
    const indexed = rows.get(refOf(kind, ref));
    return indexed ? { ref: refOf(kind, ref), title: titleOf(indexed) } : [];
  });
  return neighbours.length === 0 ? {} : { neighbours };
}

export async function show(
  {
    store,
    memories,
  }: {
    readonly store: RowStore & Pick<SearchIndex, "entriesOf" | "timeline">;
    readonly memories?: MemorySource;
  },
  refs: readonly string[],
): Promise<Shown> {
  const wanted = refs.map((ref) => ({ ref, row: readRef(ref) }));
  const named = wanted.flatMap(({ row }) => row ?? []);
  const rows = await rowsOf(store, named);
  const documents = (named.length < wanted.length ? await memories?.memories() : undefined) ?? [];
  const items: Hit[] = [];
  const missing: string[] = [];
  for (const { ref, row } of wanted) {
    const indexed = row && rows.get(refOf(row.kind, row.ref));
    const document = documents.find((one) => isNamed(one, ref));
    if (indexed && row)
      items.push({
        ...hitFrom(indexed, { layer: "index" }),
        text: searchableText(indexed),
        ...(await neighboursOf(store, row)),
      });
    else if (document) {
      const { name, ...rest } = document;
      items.push({ ref: name, kind: "memory", session: "", tokens: roughTokens(rest.text), ...rest });
    } else missing.push(ref);
  }
  return { items, missing };
}
