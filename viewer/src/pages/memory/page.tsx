// The memories of a project: what they say, whether it still holds, what is wrong with them, and what waits in quarantine.
import type {
  MemoryFinding,
  MemoryItem,
  MemoryList,
  QuarantinedMemory,
  Reviewed,
} from "../../../../src/http/wire.ts";
import { ago, compactCount } from "../../components/format.ts";
import { Icon } from "../../components/icon.tsx";
import { Bullets, Button, Empty, LineButton, PageSection, TextBox, Time } from "../../components/layout.tsx";
import { Loaded, ProblemNote, useAction, useResource } from "../../components/resource.tsx";
import { me, postJson, projectName } from "../../state/api.ts";
import { t } from "../../state/preferences.ts";
import { getFilter, setFilters } from "../../state/route.ts";
import { MemoryPanel, memoryVersion } from "./panel.tsx";

const tones = { fresh: "good", stale: "bad", unverifiable: "" } as const;

function MemoryLine({ item }: { readonly item: MemoryItem }) {
  return (
    <li>
      <LineButton name="file" id={item.file} class={`line memory-line${item.isActive ? "" : " inactive"}`}>
        <Icon name="memory" />
        <span class="two">
          <span class="clip name">{item.name}</span>
          <span class="clip small faint">{item.description}</span>
        </span>
        <span class="side">
          <span class="type">{item.type}</span>
          <span class={`tag ${tones[item.standing]}`} title={item.evidence.join("\n")}>
            {t.value.memory.standing[item.standing]}
          </span>
          <Time at={item.changedAt} />
        </span>
      </LineButton>
    </li>
  );
}

function Findings({ findings }: { readonly findings: readonly MemoryFinding[] }) {
  const { memory } = t.value;
  if (findings.length === 0) return null;
  return (
    <PageSection title={memory.findings(findings.length)}>
      <ul class="findings">
        {findings.map(({ kind, severity, file, message, fix }) => (
          <li key={`${kind} ${file} ${message}`} data-severity={severity}>
            <Icon name={severity === "note" ? "event" : "warn"} />
            <span>
              {message}
              {file !== undefined && (
                <>
                  {" "}
                  <Button class="link" onClick={() => setFilters({ file })}>
                    {file}
                  </Button>
                </>
              )}
              {fix !== undefined && <span class="muted small"> {fix}</span>}
            </span>
          </li>
        ))}
      </ul>
    </PageSection>
  );
}

function Memories({ list, project }: { readonly list: MemoryList; readonly project: string }) {
  const { memory } = t.value;
  const { items, index } = list;
  return (
    <>
      <p class="small muted">
        <span class="mono">{list.folder}</span> ·{" "}
        {memory.index(
          index.lines,
          index.maxLines,
          compactCount(index.characters),
          compactCount(index.maxCharacters),
        )}
      </p>
      <Quarantine waiting={list.quarantine} project={project} />
      <Findings findings={list.findings} />
      <PageSection title={memory.count(items.length)}>
        {items.length === 0 ? (
          <Empty
            title={memory.empty}
            command='throughline memory add --type project --name "…" --description "…" --body "…"'
          >
            {memory.emptyHelp}
          </Empty>
        ) : (
          <ul class="memory-lines">
            {items.map((item) => (
              <MemoryLine key={item.file} item={item} />
            ))}
          </ul>
        )}
      </PageSection>
    </>
  );
}

export default function Memory() {
  const { nav, memory } = t.value;
  // Memories belong to a project and lie in its folder: without a choice it is the one that was worked on last.
  const project =
    getFilter("project") || (me.value?.projects.find(({ folder }) => folder !== undefined)?.project ?? "");
  const resource = useResource<MemoryList>(
    "/api/memories",
    project === "" ? undefined : { project },
    memoryVersion.value,
  );
  const file = getFilter("file");
  return (
    <div class="beside">
      <div class="page">
        <div class="page-head">
          <h1>{nav.memory}</h1>
          {project !== "" && <span class="muted">{projectName(project)}</span>}
        </div>
        {project === "" ? (
          <Empty title={memory.noProject} command="throughline install">
            {memory.noProjectHelp}
          </Empty>
        ) : (
          <Loaded from={resource}>{(list) => <Memories list={list} project={project} />}</Loaded>
        )}
      </div>
      {file !== "" && project !== "" && <MemoryPanel key={file} project={project} file={file} />}
    </div>
  );
}

function QuarantinedItem({
  waiting,
  project,
}: {
  readonly waiting: QuarantinedMemory;
  readonly project: string;
}) {
  const { memory } = t.value;
  const { error, isBusy, attempt } = useAction();
  const { id, name, text, reasons, at } = waiting;
  const decide = (verdict: "approve" | "reject") => () =>
    attempt(async () => {
      await postJson<Reviewed>("/api/quarantine", { project, id, verdict });
      memoryVersion.value += 1;
    });
  return (
    <li class="waiting">
      <h3>
        {name} <span class="tiny faint">{ago(at)}</span>
      </h3>
      <TextBox label={name}>{text}</TextBox>
      <Bullets of={reasons} class="bullets small muted" />
      <ProblemNote error={error} />
      <p class="verdict">
        <Button disabled={isBusy} onClick={decide("reject")}>
          {memory.reject}
        </Button>
        <Button disabled={isBusy} onClick={decide("approve")}>
          {memory.approve}
        </Button>
      </p>
    </li>
  );
}

function Quarantine(props: { readonly waiting: readonly QuarantinedMemory[]; readonly project: string }) {
  const { memory } = t.value;
  const { waiting, project } = props;
  if (waiting.length === 0) return null;
  return (
    <PageSection title={memory.waiting(waiting.length)}>
      <p class="note">{memory.waitingHelp}</p>
      <ul>
        {waiting.map((one) => (
          <QuarantinedItem key={one.id} waiting={one} project={project} />
        ))}
      </ul>
    </PageSection>
  );
}
