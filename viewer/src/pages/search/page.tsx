// One box over everything that is kept: words, phrases and meaning, answered while one types.
import { useEffect, useRef, useState } from "preact/hooks";
import type { SearchAnswer } from "../../../../src/search/index.ts";
import { wantsSearchFocus } from "../../keyboard.ts";
import { Filters } from "../../parts/filters.tsx";
import { boundsOf } from "../../parts/format.ts";
import { ItemPanel } from "../../parts/itemPanel.tsx";
import { useResource } from "../../parts/resource.ts";
import { Bones, Empty, ProblemNote } from "../../parts/states.tsx";
import { t } from "../../state/look.ts";
import { filter, filtered } from "../../state/place.ts";
import { reader } from "../../state/reader.ts";
import { ask, type Query } from "../../wire.ts";
import { HitLine } from "./hit.tsx";

const PAUSE_MS = 130;
const PAGE = 20;
const MOST = 500;
const names = ["kind", "type", "file", "concept", "from", "to"] as const;

/** What was typed, once the fingers rest for a moment. */
function useRested(text: string): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}

function Box({ isTyped }: { readonly isTyped: (typing: boolean) => void }) {
  const box = useRef<HTMLInputElement>(null);
  const isWanted = wantsSearchFocus.value;
  useEffect(() => {
    if (isWanted || filtered("q") === "") box.current?.focus();
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
      value={filtered("q")}
      onInput={({ currentTarget }) => {
        isTyped(true);
        filter({ q: currentTarget.value, item: "" }, "replace");
      }}
      // Enter and leaving the field say that the last word is whole.
      onChange={() => isTyped(false)}
    />
  );
}

function questionOf(query: string, typed: boolean, limit: number): Query {
  const { offset } = reader.value;
  const [from, to] = [filtered("from"), filtered("to")];
  return {
    query,
    ...(typed ? { typed: 1 } : {}),
    explain: 1,
    limit,
    kind: filtered("kind"),
    type: filtered("type"),
    project: filtered("project"),
    file: filtered("file"),
    concept: filtered("concept"),
    ...(from === "" ? {} : { from: boundsOf(from, offset).from }),
    ...(to === "" ? {} : { to: boundsOf(to, offset).to }),
  };
}

function Teaching() {
  const { search } = t.value;
  return (
    <div class="empty">
      <h2>{search.teach}</h2>
      <dl class="facts examples">
        {Object.entries(search.examples).map(([example, meaning]) => (
          <>
            <dt key={example}>
              <button type="button" class="link mono" onClick={() => filter({ q: example })}>
                {example}
              </button>
            </dt>
            <dd key={meaning}>{meaning}</dd>
          </>
        ))}
      </dl>
    </div>
  );
}

function Answer({ answer, more }: { readonly answer: SearchAnswer; readonly more: () => void }) {
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
      {answer.more && hits.length < MOST && (
        <button type="button" class="button" onClick={more}>
          {search.more}
        </button>
      )}
    </>
  );
}

export default function Search() {
  const { nav, search } = t.value;
  const [isTyped, setIsTyped] = useState(false);
  const query = useRested(filtered("q").trim());
  const [pages, setPages] = useState(1);
  const isNarrowed = names.some((name) => filtered(name) !== "");
  const question = questionOf(query, isTyped, Math.min(MOST, PAGE * pages));
  const key = query === "" && !isNarrowed ? undefined : JSON.stringify(question);
  const { data, error, isLoading, reload } = useResource(key, (signal) =>
    ask<SearchAnswer>("/api/search", question, signal),
  );
  useEffect(() => setPages(1), [query]);
  const item = filtered("item");
  return (
    <div class="beside">
      <div class="page">
        <h1 class="hidden">{nav.search}</h1>
        <Box isTyped={setIsTyped} />
        <Filters names={names} />
        <p class="hidden" role="status">
          {key !== undefined && data !== undefined && !isLoading && search.found(data.hits.length)}
        </p>
        {error !== undefined && <ProblemNote error={error} retry={reload} />}
        {key === undefined ? (
          <Teaching />
        ) : data === undefined ? (
          error === undefined && <Bones />
        ) : (
          <div aria-busy={isLoading}>
            <Answer answer={data} more={() => setPages((n) => n + 1)} />
          </div>
        )}
      </div>
      {item !== "" && <ItemPanel item={item} />}
    </div>
  );
}
