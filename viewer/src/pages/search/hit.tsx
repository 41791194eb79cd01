// One thing that was found: what it is, where the words stand in it, and why it was found, in words.
import type { Hit } from "../../../../src/search/index.ts";
import { ago } from "../../parts/format.ts";
import { type Mark, piecesOf } from "../../parts/highlight.ts";
import { Icon } from "../../parts/icon.tsx";
import { addressOf } from "../../state/address.ts";
import { iconOf } from "../../state/kinds.ts";
import { t } from "../../state/look.ts";
import { filter, filtered } from "../../state/place.ts";
import { reader } from "../../state/reader.ts";
import { projectName } from "../../state/worker.ts";

function Marked({ text, marks }: { readonly text: string; readonly marks: readonly Mark[] | undefined }) {
  return (
    <>
      {piecesOf(text, marks).map((piece, at) =>
        piece.isMarked ? <mark key={at}>{piece.text}</mark> : piece.text,
      )}
    </>
  );
}

/** The strongest reasons first; the words of each signal are in the dictionary. */
function Why({ hit }: { readonly hit: Hit }) {
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

function About({ hit }: { readonly hit: Hit }) {
  const { kinds, types } = t.value;
  const typeNames: Readonly<Record<string, string>> = types;
  return (
    <p class="about tiny faint">
      <span>{hit.type === undefined ? kinds[hit.kind] : (typeNames[hit.type] ?? hit.type)}</span>
      {hit.project !== "" && <span>{projectName(hit.project)}</span>}
      <time dateTime={hit.at}>{ago(hit.at, reader.value)}</time>
      {hit.files?.[0] !== undefined && <span class="mono clip">{hit.files[0]}</span>}
      <span class="mono">{hit.ref}</span>
    </p>
  );
}

/** A memory opens on its own page, everything else beside the list. */
function memoryAddress({ ref, project }: Hit): string {
  const file = ref.slice(ref.lastIndexOf("/") + 1);
  return addressOf({ page: "memory", filters: { project, file } });
}

export function HitLine({ hit }: { readonly hit: Hit }) {
  const isOpen = filtered("item") === hit.ref;
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
        <button
          type="button"
          class="open-hit"
          data-line
          data-ref={hit.ref}
          aria-expanded={isOpen}
          onClick={() => filter({ item: isOpen ? "" : hit.ref })}
        >
          {inside}
        </button>
      )}
      {hit.excerpt !== undefined && hit.excerpt !== hit.title && (
        <p class="excerpt">
          <Marked text={hit.excerpt} marks={hit.marks?.excerpt} />
        </p>
      )}
      <About hit={hit} />
      <Why hit={hit} />
    </li>
  );
}
