// The search page: one box over everything that is kept, by words, phrases and meaning, answered while typing.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Hit, SearchAnswer } from "../../../../src/search/index.ts";
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

function Results({ hits, notes, more, showMore }: SearchAnswer & { readonly showMore: () => void }) {
  return (
    <>
      {notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      {hits.length === 0 && <Empty title={t.search.nothing}>{t.search.nothingHelp}</Empty>}
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

/** The three strongest of the signals that have a text. */
function MatchReasons({ why = [] }: Pick<Hit, "why">) {
  const signals: Readonly<Record<string, string>> = t.search.signals;
  const reasons = why
    .filter(({ points, signal }) => points > 0.05 && signal in signals)
    .toSorted((a, b) => b.points - a.points)
    .slice(0, 3);
  if (reasons.length === 0) return null;
  return (
    <p class="why tiny faint">
      {t.search.why} {reasons.map(({ signal }) => signals[signal]).join(" · ")}
    </p>
  );
}

/** A memory opens on its own page, everything else in the panel. */
function memoryAddress({ ref, project }: Hit) {
  const file = ref.slice(ref.lastIndexOf("/") + 1);
  return addressOf({ page: "memory", filters: { project, file } });
}

function HitLine({ hit }: { readonly hit: Hit }) {
  const { ref, kind, type, project, at, files = [], title, excerpt, marks, why } = hit;
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
      <MatchReasons why={why ?? []} />
    </li>
  );
}
