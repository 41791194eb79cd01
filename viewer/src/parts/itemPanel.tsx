// One thing whole, beside the list it was opened from.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Item } from "../../../src/http/wire.ts";
import type { Observation, Summary } from "../../../src/store/index.ts";
import { closeItem } from "../keyboard.ts";
import { addressOf } from "../state/address.ts";
import { iconOf } from "../state/kinds.ts";
import { t } from "../state/look.ts";
import { sessionLink } from "../state/place.ts";
import { reader } from "../state/reader.ts";
import { projectName } from "../state/worker.ts";
import { ask } from "../wire.ts";
import { dateTime } from "./format.ts";
import { Icon } from "./icon.tsx";
import { useResource } from "./resource.ts";
import { Bones, Empty, ProblemNote } from "./states.tsx";

function Part({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Links({ names, as }: { readonly names: readonly string[]; readonly as: "file" | "concept" }) {
  return (
    <ul class="words">
      {names.map((name) => (
        <li key={name}>
          <a
            class={as === "file" ? "tag mono" : "tag"}
            href={addressOf({ page: "timeline", filters: { [as]: name } })}
          >
            {name}
          </a>
        </li>
      ))}
    </ul>
  );
}

function ObservationBody({ row }: { readonly row: Observation }) {
  const { item } = t.value;
  const { subtitle, narrative, text, facts = [], concepts = [], filesModified = [], filesRead = [] } = row;
  return (
    <>
      <h2>{row.title}</h2>
      {subtitle !== undefined && <p class="muted">{subtitle}</p>}
      {narrative !== undefined && (
        <Part title={item.narrative}>
          <p class="said">{narrative}</p>
        </Part>
      )}
      {text !== undefined && (
        <Part title={item.text}>
          <p class="said">{text}</p>
        </Part>
      )}
      {facts.length > 0 && (
        <Part title={item.facts}>
          <ul class="bullets">
            {facts.map((fact) => (
              <li key={fact}>{fact}</li>
            ))}
          </ul>
        </Part>
      )}
      {filesModified.length > 0 && (
        <Part title={item.filesModified}>
          <Links names={filesModified} as="file" />
        </Part>
      )}
      {filesRead.length > 0 && (
        <Part title={item.filesRead}>
          <Links names={filesRead} as="file" />
        </Part>
      )}
      {concepts.length > 0 && (
        <Part title={item.concepts}>
          <Links names={concepts} as="concept" />
        </Part>
      )}
    </>
  );
}

const summaryParts = ["request", "investigated", "learned", "completed", "nextSteps", "notes"] as const;

function SummaryBody({ row }: { readonly row: Summary }) {
  const { item } = t.value;
  return (
    <>
      {summaryParts.map((part) => {
        const said = row[part];
        return said === undefined || said === "" ? null : (
          <Part key={part} title={item[part]}>
            <p class="said">{said}</p>
          </Part>
        );
      })}
    </>
  );
}

function Body({ item }: { readonly item: Item }) {
  const { kinds, item: words } = t.value;
  if (item.kind === "observation") return <ObservationBody row={item.row} />;
  if (item.kind === "summary") {
    return (
      <>
        <h2>{kinds.summary}</h2>
        <SummaryBody row={item.row} />
      </>
    );
  }
  return (
    <>
      <h2>{item.kind === "prompt" ? kinds.prompt : words.saidBy(item.row.role)}</h2>
      <p class="said">{item.kind === "prompt" ? item.row.promptText : item.row.text}</p>
    </>
  );
}

function placeOfItem(item: Item): { session: string; project: string; at: string } {
  if (item.kind === "message") return item.row;
  const { claudeSessionId, project, createdAt } = item.row;
  return { session: claudeSessionId, project, at: createdAt };
}

function Whole({ item }: { readonly item: Item }) {
  const { session, project, at } = placeOfItem(item);
  const { kinds, types, item: words } = t.value;
  const type = item.kind === "observation" ? item.row.type : undefined;
  return (
    <>
      <p class="small muted">
        <Icon name={iconOf(item.kind, type)} /> {type === undefined ? kinds[item.kind] : types[type]} ·{" "}
        {projectName(project)} · <time dateTime={at}>{dateTime(at, reader.value)}</time>
      </p>
      <Body item={item} />
      <section>
        <a class="button" href={sessionLink(session)}>
          {words.session}
          <Icon name="next" />
        </a>
      </section>
    </>
  );
}

/** `item` is a ref such as `#12`. */
export function ItemPanel({ item }: { readonly item: string }) {
  const { data, error, isLoading, reload } = useResource(item, (signal) =>
    ask<readonly Item[]>("/api/items", { refs: item }, signal),
  );
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus({ preventScroll: true }), [item]);
  const { item: words } = t.value;
  const found = data?.find(({ ref }) => ref === item);
  return (
    <aside class="panel" ref={panel} tabIndex={-1} aria-label={words.label(item)}>
      <div class="panel-head">
        <span class="mono">{item}</span>
        <button type="button" class="quiet" aria-label={t.value.close} onClick={closeItem}>
          <Icon name="close" />
        </button>
      </div>
      {error !== undefined && <ProblemNote error={error} retry={reload} />}
      {found !== undefined ? (
        <Whole item={found} />
      ) : isLoading ? (
        <Bones lines={6} />
      ) : (
        error === undefined && <Empty title={words.gone} />
      )}
    </aside>
  );
}
