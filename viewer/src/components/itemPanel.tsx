// One thing whole, beside the list it was opened from.
import type { Item } from "../../../src/http/wire.ts";
import type { Observation, Summary } from "../../../src/store/index.ts";
import { projectName } from "../state/api.ts";
import { kindName, t } from "../state/preferences.ts";
import { addressOf, getFilter, sessionLink } from "../state/route.ts";
import { dateTime } from "./format.ts";
import { Icon, iconOf } from "./icon.tsx";
import { Bullets, Empty, Panel, PanelSection, Time } from "./layout.tsx";
import { Loaded, useResource } from "./resource.tsx";

interface LinksProps {
  readonly title: string;
  readonly names: readonly string[];
  readonly as: "file" | "concept";
}

function Links({ title, names, as }: LinksProps) {
  if (names.length === 0) return null;
  return (
    <PanelSection title={title}>
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
    </PanelSection>
  );
}

function TextSection({ title, text }: { readonly title: string; readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <PanelSection title={title}>
      <p class="said">{text}</p>
    </PanelSection>
  );
}

function ObservationBody({ row }: { readonly row: Observation }) {
  const { item } = t.value;
  const { subtitle, narrative, text, facts = [], concepts = [], filesModified = [], filesRead = [] } = row;
  return (
    <>
      <h2>{row.title}</h2>
      {subtitle !== undefined && <p class="muted">{subtitle}</p>}
      <TextSection title={item.narrative} text={narrative} />
      <TextSection title={item.text} text={text} />
      {facts.length > 0 && (
        <PanelSection title={item.facts}>
          <Bullets of={facts} />
        </PanelSection>
      )}
      <Links title={item.filesModified} names={filesModified} as="file" />
      <Links title={item.filesRead} names={filesRead} as="file" />
      <Links title={item.concepts} names={concepts} as="concept" />
    </>
  );
}

const summaryParts = ["request", "investigated", "learned", "completed", "nextSteps", "notes"] as const;

function SummaryBody({ row }: { readonly row: Summary }) {
  const { item, kinds } = t.value;
  return (
    <>
      <h2>{kinds.summary}</h2>
      {summaryParts.map((part) => (
        <TextSection key={part} title={item[part]} text={row[part] || undefined} />
      ))}
    </>
  );
}

function ItemBody({ item }: { readonly item: Item }) {
  const { kinds, item: words } = t.value;
  if (item.kind === "observation") return <ObservationBody row={item.row} />;
  if (item.kind === "summary") return <SummaryBody row={item.row} />;
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

function ItemDetail({ item }: { readonly item: Item }) {
  const { session, project, at } = placeOfItem(item);
  const type = item.kind === "observation" ? item.row.type : undefined;
  return (
    <>
      <p class="small muted">
        <Icon name={iconOf(item.kind, type)} /> {kindName(item.kind, type)} · {projectName(project)} ·{" "}
        <Time at={at} as={dateTime} />
      </p>
      <ItemBody item={item} />
      <section>
        <a class="button" href={sessionLink(session)}>
          {t.value.item.session}
          <Icon name="next" />
        </a>
      </section>
    </>
  );
}

/** `item` is a ref such as `#12`. */
function OpenItem({ item }: { readonly item: string }) {
  const resource = useResource<readonly Item[]>("/api/items", { refs: item });
  const { item: words } = t.value;
  return (
    <Panel label={words.label(item)} head={<span class="mono">{item}</span>}>
      <Loaded from={resource} lines={6}>
        {([found]) => (found === undefined ? <Empty title={words.gone} /> : <ItemDetail item={found} />)}
      </Loaded>
    </Panel>
  );
}

/** The item that the address names, beside the list it was opened from. */
export function ItemPanel() {
  const item = getFilter("item");
  return item === "" ? null : <OpenItem key={item} item={item} />;
}
