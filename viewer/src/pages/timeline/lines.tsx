// How each line of the timeline looks.

import { clockOf, count, dayTitle } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { iconOf } from "../../state/kinds.ts";
import { t } from "../../state/look.ts";
import { filter, filtered, sessionLink } from "../../state/place.ts";
import { reader } from "../../state/reader.ts";
import { projectName } from "../../state/worker.ts";
import type { Entry } from "./entries.ts";

type Of<K extends Entry["kind"]> = Extract<Entry, { kind: K }>;

function DayLine({ entry }: { readonly entry: Of<"day"> }) {
  return (
    <div class="day-line">
      <h2>{dayTitle(entry.day, reader.value)}</h2>
      <span class="tiny faint num">{t.value.timeline.rows(count(entry.count, reader.value))}</span>
    </div>
  );
}

function SessionLine({ entry }: { readonly entry: Of<"session"> }) {
  return (
    <a class="line session-line" data-line href={sessionLink(entry.session)}>
      <span class="knot" />
      <span class="clip">{entry.title}</span>
      <span class="side">
        {filtered("project") === "" && <span class="clip project">{projectName(entry.project)}</span>}
        <time dateTime={entry.at}>{clockOf(entry.at, reader.value)}</time>
      </span>
    </a>
  );
}

function RowLine({ entry }: { readonly entry: Of<"turn" | "row"> }) {
  const { row } = entry;
  const { kinds, types } = t.value;
  const isOpen = filtered("item") === row.ref;
  const name = row.type === undefined ? kinds[row.kind] : types[row.type];
  return (
    <button
      type="button"
      class={`line ${entry.kind}-line ${row.kind}${isOpen ? " open" : ""}`}
      data-line
      data-ref={row.ref}
      aria-expanded={isOpen}
      onClick={() => filter({ item: isOpen ? "" : row.ref })}
    >
      <span class="sign" title={name}>
        <Icon name={iconOf(row.kind, row.type)} />
        <span class="hidden">{name}</span>
      </span>
      <span class="clip">
        {row.title}
        {row.subtitle !== undefined && <span class="sub">{row.subtitle}</span>}
      </span>
      <span class="side">
        {row.files !== undefined && row.files.length > 0 && (
          <span class="clip mono file">{row.files[0]?.split("/").at(-1)}</span>
        )}
        <time dateTime={row.at}>{clockOf(row.at, reader.value)}</time>
      </span>
    </button>
  );
}

export function Line({ entry }: { readonly entry: Entry }) {
  if (entry.kind === "day") return <DayLine entry={entry} />;
  if (entry.kind === "session") return <SessionLine entry={entry} />;
  if (entry.kind === "gap") return <div class="gap" role="status" aria-label={t.value.loading} />;
  return <RowLine entry={entry} />;
}
