// The panel of one observation, summary, prompt or message, beside the list it was opened from.
import type { Item } from "../../../src/http/wire.ts";
import type { Observation } from "../../../src/store/index.ts";
import { projectName } from "../state/api.ts";
import { kindName, t } from "../state/preferences.ts";
import { addressOf, getFilter, sessionLink } from "../state/route.ts";
import { dateTime } from "./format.ts";
import { Icon, iconOf } from "./icon.tsx";
import { ItemActions } from "./itemActions.tsx";
import { BulletSection, Empty, Panel, PanelSection, Time } from "./layout.tsx";
import { Loaded, useResource } from "./resource.tsx";

interface TagsProps {
  readonly title: string;
  readonly names: readonly string[] | undefined;
  readonly filter: "file" | "concept";
}

/** Names that link to the timeline filtered by each. */
function Tags({ title, names = [], filter }: TagsProps) {
  if (names.length === 0) return null;
  return (
    <PanelSection title={title}>
      <ul class="words">
        {names.map((name) => (
          <li key={name}>
            <a
              class={filter === "file" ? "tag mono" : "tag"}
              href={addressOf({ page: "timeline", filters: { [filter]: name } })}
            >
              {name}
            </a>
          </li>
        ))}
      </ul>
    </PanelSection>
  );
}

function TextSection({ title, text }: { readonly title: string; readonly text: string | undefined }) {
  if (!text) return null;
  return (
    <PanelSection title={title}>
      <p class="said">{text}</p>
    </PanelSection>
  );
}

function ObservationBody({ title, subtitle, facts, ...row }: Observation) {
  const { item } = t;
  return (
    <>
      <h2>{title}</h2>
      {subtitle && <p class="muted">{subtitle}</p>}
      <TextSection title={item.narrative} text={row.narrative} />
      <TextSection title={item.text} text={row.text} />
      <BulletSection title={item.facts} of={facts} />
      {(["filesModified", "filesRead", "concepts"] as const).map((list) => (
        <Tags
          key={list}
          title={item[list]}
          names={row[list]}
          filter={list === "concepts" ? "concept" : "file"}
        />
      ))}
    </>
  );
}

const summaryParts = ["request", "investigated", "learned", "completed", "nextSteps", "notes"] as const;

function ItemBody({ item: { kind, row } }: { readonly item: Item }) {
  if (kind === "observation") return <ObservationBody {...row} />;
  if (kind === "summary") {
    return (
      <>
        <h2>{t.kinds.summary}</h2>
        {summaryParts.map((part) => (
          <TextSection key={part} title={t.item[part]} text={row[part]} />
        ))}
      </>
    );
  }
  return (
    <>
      <h2>{kind === "prompt" ? t.kinds.prompt : t.item.saidBy(row.role)}</h2>
      <p class="said">{kind === "prompt" ? row.promptText : row.text}</p>
    </>
  );
}

/** To the turn of an item in its session, opened. */
function turnLink({ kind, row }: Item, session: string) {
  if (kind === "message") return sessionLink(session);
  const turn = `${session}:${row.promptNumber}`;
  return addressOf({ page: "session", id: session, filters: { turn } });
}

function ItemDetail({ item }: { readonly item: Item }) {
  const { kind, row } = item;
  const [session, at] = kind === "message" ? [row.session, row.at] : [row.claudeSessionId, row.createdAt];
  const type = kind === "observation" ? row.type : undefined;
  return (
    <>
      <p class="small muted">
        <Icon name={iconOf(kind, type)} /> {kindName(kind, type)} · {projectName(row.project)} ·{" "}
        <Time at={at} as={dateTime} />
      </p>
      <ItemBody item={item} />
      <section>
        <a class="button" href={turnLink(item, session)}>
          {t.item.session}
          <Icon name="next" />
        </a>
      </section>
    </>
  );
}

function OpenItem({ id }: { readonly id: string }) {
  const resource = useResource<readonly Item[]>("/api/items", { refs: id });
  const actions = (item?: Item) => <ItemActions id={id} item={item} onChange={resource.reload} />;
  return (
    <Panel label={t.item.label(id)} head={<span class="mono">{id}</span>}>
      <Loaded from={resource}>
        {([item]) => (
          <>
            {item ? <ItemDetail item={item} /> : <Empty title={t.item.gone} />}
            {actions(item)}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

/** The panel of the item that the address names, such as `#12`. */
export function ItemPanel() {
  const id = getFilter("item");
  return id === "" ? null : <OpenItem key={id} id={id} />;
}
