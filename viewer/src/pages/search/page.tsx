// One box over everything that is kept: words, phrases and meaning, answered while one types.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Hit, SearchAnswer } from "../../../../src/search/index.ts";
import { Filters, filterQuery } from "../../components/filters.tsx";
import { type MarkRange, splitAtMarks } from "../../components/highlight.ts";
import { Icon, iconOf } from "../../components/icon.tsx";
import { ItemPanel } from "../../components/itemPanel.tsx";
import { Button, DefinitionList, Empty, LineButton, Time } from "../../components/layout.tsx";
import { Loaded, useResource } from "../../components/resource.tsx";
import { projectName } from "../../state/api.ts";
import { wantsSearchFocus } from "../../state/keyboard.ts";
import { kindName, t } from "../../state/preferences.ts";
import { addressOf, getFilter, setFilters } from "../../state/route.ts";

const DEBOUNCE_MS = 130;
const PAGE_SIZE = 20;
const MAX_HITS = 500;
const filterNames = ["kind", "type", "file", "concept", "from", "to"] as const;

/** What was typed, once the fingers rest for a moment. */
function useDebounced(text: string) {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}

function SearchBox({ isTyped }: { readonly isTyped: (typing: boolean) => void }) {
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
      aria-label={t.value.search.label}
      placeholder={t.value.search.placeholder}
      autocomplete="off"
      spellcheck={false}
      value={getFilter("q")}
      onInput={({ currentTarget }) => {
        isTyped(true);
        setFilters({ q: currentTarget.value, item: "" }, "replace");
      }}
      // Enter and leaving the field say that the last word is whole.
      onChange={() => isTyped(false)}
    />
  );
}

function SearchHelp() {
  const { search } = t.value;
  return (
    <div class="empty">
      <h2>{search.teach}</h2>
      <DefinitionList
        class="facts examples"
        of={Object.entries(search.examples).map(([example, meaning]) => [
          <Button key={example} class="link mono" onClick={() => setFilters({ q: example })}>
            {example}
          </Button>,
          meaning,
        ])}
      />
    </div>
  );
}

function Results({ answer, more }: { readonly answer: SearchAnswer; readonly more: () => void }) {
  const { search } = t.value;
  const { hits, notes } = answer;
  return (
    <>
      {notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      {hits.length === 0 && <Empty title={search.nothing}>{search.nothingHelp}</Empty>}
      <ol class="hits">
        {hits.map((hit) => (
          <HitLine key={hit.ref} hit={hit} />
        ))}
      </ol>
      {answer.more && hits.length < MAX_HITS && <Button onClick={more}>{search.more}</Button>}
    </>
  );
}

export default function Search() {
  const { nav, search } = t.value;
  const [isTyped, setIsTyped] = useState(false);
  const query = useDebounced(getFilter("q").trim());
  const [pages, setPages] = useState(1);
  const isNarrowed = filterNames.some((name) => getFilter(name) !== "");
  const question =
    query === "" && !isNarrowed
      ? undefined
      : {
          ...filterQuery(),
          query,
          typed: isTyped ? 1 : undefined,
          explain: 1,
          limit: Math.min(MAX_HITS, PAGE_SIZE * pages),
          kind: getFilter("kind"),
        };
  const resource = useResource<SearchAnswer>("/api/search", question);
  const { data, isLoading } = resource;
  useEffect(() => setPages(1), [query]);
  return (
    <div class="beside">
      <div class="page">
        <h1 class="hidden">{nav.search}</h1>
        <SearchBox isTyped={setIsTyped} />
        <Filters names={filterNames} />
        <p class="hidden" role="status">
          {question !== undefined && data !== undefined && !isLoading && search.found(data.hits.length)}
        </p>
        {question === undefined ? (
          <SearchHelp />
        ) : (
          <Loaded from={resource}>
            {(answer) => (
              <div aria-busy={isLoading}>
                <Results answer={answer} more={() => setPages((n) => n + 1)} />
              </div>
            )}
          </Loaded>
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

/** The strongest reasons first; the words of each signal are in the dictionary. */
function MatchReasons({ hit }: { readonly hit: Hit }) {
  const { search } = t.value;
  const signals: Readonly<Record<string, string>> = search.signals;
  const reasons = (hit.why ?? [])
    .filter(({ points, signal }) => points > 0.05 && signal in signals)
    .toSorted((a, b) => b.points - a.points)
    .slice(0, 3);
  if (reasons.length === 0) return null;
  return (
    <p class="why tiny faint">
      {search.why} {reasons.map(({ signal }) => signals[signal]).join(" · ")}
    </p>
  );
}

function HitFacts({ hit }: { readonly hit: Hit }) {
  return (
    <p class="about tiny faint">
      <span>{kindName(hit.kind, hit.type)}</span>
      {hit.project !== "" && <span>{projectName(hit.project)}</span>}
      <Time at={hit.at} />
      {hit.files?.[0] !== undefined && <span class="mono clip">{hit.files[0]}</span>}
      <span class="mono">{hit.ref}</span>
    </p>
  );
}

/** A memory opens on its own page, everything else beside the list. */
function memoryAddress({ ref, project }: Hit) {
  const file = ref.slice(ref.lastIndexOf("/") + 1);
  return addressOf({ page: "memory", filters: { project, file } });
}

function HitLine({ hit }: { readonly hit: Hit }) {
  const isOpen = getFilter("item") === hit.ref;
  const inside = (
    <>
      <Icon name={iconOf(hit.kind, hit.type)} />
      <span class="title">
        <Marked text={hit.title} marks={hit.marks?.title} />
      </span>
    </>
  );
  return (
    <li class={isOpen ? "hit open" : "hit"}>
      {hit.kind === "memory" ? (
        <a class="open-hit" data-line data-ref={hit.ref} href={memoryAddress(hit)}>
          {inside}
        </a>
      ) : (
        <LineButton name="item" id={hit.ref} class="open-hit">
          {inside}
        </LineButton>
      )}
      {hit.excerpt !== undefined && hit.excerpt !== hit.title && (
        <p class="excerpt">
          <Marked text={hit.excerpt} marks={hit.marks?.excerpt} />
        </p>
      )}
      <HitFacts hit={hit} />
      <MatchReasons hit={hit} />
    </li>
  );
}
