// The search page: one box over everything that is kept, by words, phrases and meaning, answered while typing.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Hit, SearchAnswer } from "../../../../src/http/wire.ts";
import { Filters, filterQuery } from "../../components/filters.tsx";
import { type MarkRange, splitAtMarks } from "../../components/highlight.ts";
import { Icon, iconOf } from "../../components/icon.tsx";
import { ItemPanel } from "../../components/itemPanel.tsx";
import { Button, DefinitionList, Empty, LineButton, onValue, Time } from "../../components/layout.tsx";
import { Loaded, useResource } from "../../components/resource.tsx";
import { projectName } from "../../state/api.ts";
import { wantsSearchFocus } from "../../state/keyboard.ts";
import { kindName, t } from "../../state/preferences.ts";
import { addressOf, getFilter, setFilters } from "../../state/route.ts";

const DEBOUNCE_MS = 130;
const HITS_PER_PAGE = 20;
const MAX_HITS = 500;
const filterNames = ["kind", "type", "file", "concept", "from", "to"] as const;

function useDebounced(text: string) {
  const [debounced, setDebounced] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return debounced;
}

function SearchBox({ onTyping }: { readonly onTyping: (isTyping: boolean) => void }) {
  const box = useRef<HTMLInputElement>(null);
  const isWanted = wantsSearchFocus.value;
  useEffect(() => {
    if (isWanted || getFilter("q") === "") box.current?.focus();
    if (isWanted) box.current?.select();
    wantsSearchFocus.value = false;
  }, [isWanted]);
  return (
    <input
      ref={box}
      type="search"
      class="field search-box"
      aria-label={t.search.label}
      placeholder={t.search.placeholder}
      autocomplete="off"
      spellcheck={false}
      value={getFilter("q")}
      onInput={onValue((q) => {
        onTyping(true);
        setFilters({ q, item: "" }, "replace");
      })}
      // Enter, or leaving the field, means that the last word is complete.
      onChange={() => onTyping(false)}
    />
  );
}

function SearchHelp() {
  return (
    <div class="empty">
      <h2>{t.search.teach}</h2>
      <DefinitionList
        class="facts examples"
        of={Object.entries(t.search.examples).map(([q, meaning]) => [
          <Button key={q} class="link mono" onClick={() => setFilters({ q })}>
            {q}
          </Button>,
          meaning,
        ])}
      />
    </div>
  );
}

const FACET_VALUES = 5;

/** How often each value occurs, most often first. */
function counted(values: readonly (string | undefined)[]) {
  const counts = new Map<string, number>();
  for (const value of values) if (value) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a).slice(0, FACET_VALUES);
}

/** What the hits on the page have in common: a click narrows the search to it. */
function Facets({ hits }: { readonly hits: readonly Hit[] }) {
  const facets = [
    [
      "kind",
      counted(hits.map(({ kind }) => kind)),
      (value: string) => kindName(value as Hit["kind"], undefined),
    ],
    ["type", counted(hits.map(({ type }) => type)), (value: string) => kindName("observation", value)],
    ["project", counted(hits.map(({ project }) => project)), projectName],
    [
      "file",
      counted(hits.flatMap(({ files = [] }) => files)),
      (value: string) => value.split("/").slice(-2).join("/"),
    ],
  ] as const;
  const open = facets.filter(([name, values]) => getFilter(name) === "" && values.length > 1);
  if (open.length === 0) return null;
  return (
    <search class="facets" aria-label={t.search.facets}>
      {open.map(([name, values, label]) => (
        <span key={name} class="facet">
          <span class="tiny faint">{name === "project" ? t.projects.label : t.filters[name]}</span>
          {values.map(([value, count]) => (
            <Button key={value} class="tag" title={value} onClick={() => setFilters({ [name]: value })}>
              {label(value)} <span class="faint num">{count}</span>
            </Button>
          ))}
        </span>
      ))}
    </search>
  );
}

function Results({ hits, notes, more, showMore }: SearchAnswer & { readonly showMore: () => void }) {
  return (
    <>
      {notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      {hits.length === 0 && <Empty title={t.search.nothing}>{t.search.nothingHelp}</Empty>}
      <Facets hits={hits} />
      <ol class="hits">
        {hits.map((hit) => (
          <HitLine key={hit.ref} hit={hit} />
        ))}
      </ol>
      {more && hits.length < MAX_HITS && <Button onClick={showMore}>{t.search.more}</Button>}
    </>
  );
}

export default function Search() {
  const [isTyping, setIsTyping] = useState(false);
  const query = useDebounced(getFilter("q").trim());
  const [pages, setPages] = useState(1);
  const isAsked = query !== "" || filterNames.some((name) => getFilter(name) !== "");
  const resource = useResource<SearchAnswer>(
    "/api/search",
    isAsked
      ? {
          ...filterQuery(),
          query,
          typed: isTyping ? 1 : undefined,
          explain: 1,
          limit: Math.min(MAX_HITS, HITS_PER_PAGE * pages),
          kind: getFilter("kind"),
        }
      : undefined,
  );
  const { data, isLoading } = resource;
  useEffect(() => setPages(1), [query]);
  return (
    <div class="beside">
      <div class="page">
        <h1 class="hidden">{t.nav.search}</h1>
        <SearchBox onTyping={setIsTyping} />
        <Filters names={filterNames} />
        <p class="hidden" role="status">
          {isAsked && data !== undefined && !isLoading && t.search.found(data.hits.length)}
        </p>
        {isAsked ? (
          <Loaded from={resource}>
            {(answer) => (
              <div aria-busy={isLoading}>
                <Results {...answer} showMore={() => setPages((n) => n + 1)} />
              </div>
            )}
          </Loaded>
        ) : (
          <SearchHelp />
        )}
      </div>
      <ItemPanel />
    </div>
  );
}

function Marked({
  text,
  marks,
}: {
  readonly text: string;
  readonly marks: readonly MarkRange[] | undefined;
}) {
  return (
    <>
      {splitAtMarks(text, marks).map((piece, at) =>
        piece.isMarked ? <mark key={at}>{piece.text}</mark> : piece.text,
      )}
    </>
  );
}

/** In the standard form: the matched words, then the three strongest of the other signals. */
function MatchReasons({ matched = [], why = [], turn = [] }: Pick<Hit, "matched" | "why" | "turn">) {
  const signals: Readonly<Record<string, string>> = t.search.signals;
  const reasons = why
    .filter(({ points, signal }) => points > 0.05 && signal in signals)
    .toSorted((a, b) => b.points - a.points)
    .slice(0, 3);
  if (matched.length + reasons.length === 0) return null;
  return (
    <p class="why tiny faint">
      {[
        ...(matched.length > 0 ? [t.search.matched(matched.join(", "))] : []),
        ...reasons.map(({ signal }) => signals[signal]),
      ].join(" · ")}
      {turn.length > 0 && (
        <>
          {" · "}
          {t.search.alsoInTurn}{" "}
          {turn.map((ref) => (
            <Button key={ref} class="link mono" onClick={() => setFilters({ item: ref })}>
              {ref}
            </Button>
          ))}
        </>
      )}
    </p>
  );
}

/** A memory opens on its own page, everything else in the panel. */
function memoryAddress({ ref, project }: Hit) {
  const file = ref.slice(ref.lastIndexOf("/") + 1);
  return addressOf({ page: "memory", filters: { project, file } });
}

function HitLine({ hit }: { readonly hit: Hit }) {
  const { ref, kind, type, project, at, files = [], title, excerpt, marks } = hit;
  const inside = (
    <>
      <Icon name={iconOf(kind, type)} />
      <span class="title">
        <Marked text={title} marks={marks?.title} />
      </span>
    </>
  );
  return (
    <li class={getFilter("item") === ref ? "hit open" : "hit"}>
      {kind === "memory" ? (
        <a class="open-hit" data-line data-ref={ref} href={memoryAddress(hit)}>
          {inside}
        </a>
      ) : (
        <LineButton name="item" id={ref} class="open-hit">
          {inside}
        </LineButton>
      )}
      {excerpt !== undefined && excerpt !== title && (
        <p class="excerpt">
          <Marked text={excerpt} marks={marks?.excerpt} />
        </p>
      )}
      <p class="about tiny faint">
        <span>{kindName(kind, type)}</span>
        {project !== "" && <span>{projectName(project)}</span>}
        <Time at={at} />
        {files[0] && <span class="mono clip">{files[0]}</span>}
        <span class="mono">{ref}</span>
      </p>
      <MatchReasons {...hit} />
    </li>
  );
}
