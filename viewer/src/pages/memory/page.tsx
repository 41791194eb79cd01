// The memories of a project: whether each still holds, what lint finds, what waits in quarantine, and the panel of one.

import { useState } from "preact/hooks";
import type { MemoryItem, MemoryList, MemorySaved, QuarantinedMemory } from "../../../../src/http/wire.ts";
import { ago, compactCount } from "../../components/format.ts";
import { Icon } from "../../components/icon.tsx";
import {
  Bullets,
  Button,
  Empty,
  LineButton,
  PageFrame,
  PageSection,
  TextBox,
  Time,
} from "../../components/layout.tsx";
import { Loaded, ProblemNote, useAction, useResource } from "../../components/resource.tsx";
import { me, projectName } from "../../state/api.ts";
import { t } from "../../state/preferences.ts";
import { getFilter, setFilters } from "../../state/route.ts";
import { AddMemory, changeMemory, memoryVersion, RetiredMemories, SavedNote } from "./changes.tsx";
import { MemoryPanel } from "./memoryPanel.tsx";

const tones = { fresh: "good", stale: "bad", unverifiable: "" } as const;

function MemoryLine({ file, name, description, type, standing, evidence, ...item }: MemoryItem) {
  return (
    <li>
      <LineButton name="file" id={file} class={`line memory-line${item.isActive ? "" : " inactive"}`}>
        <Icon name="memory" />
        <span class="two">
          <span class="clip name">{name}</span>
          <span class="clip small faint">{description}</span>
        </span>
        <span class="side">
          <span class="type">{type}</span>
          <span class={`tag ${tones[standing]}`} title={evidence.join("\n")}>
            {t.memory.standing[standing]}
          </span>
          <Time at={item.changedAt} />
        </span>
      </LineButton>
    </li>
  );
}

function Findings({ findings }: Pick<MemoryList, "findings">) {
  if (findings.length === 0) return null;
  return (
    <PageSection title={t.memory.findings(findings.length)}>
      <ul class="findings">
        {findings.map(({ kind, severity, file, message, fix }) => (
          <li key={`${kind} ${file} ${message}`} data-severity={severity}>
            <Icon name={severity === "note" ? "event" : "warn"} />
            <span>
              {message}{" "}
              {file && (
                <Button class="link" onClick={() => setFilters({ file })}>
                  {file}
                </Button>
              )}
              {fix && <span class="muted small"> {fix}</span>}
            </span>
          </li>
        ))}
      </ul>
    </PageSection>
  );
}

function Memories({ project, folder, index, items, ...list }: MemoryList & { readonly project: string }) {
  const { memory } = t;
  const { lines, maxLines, characters, maxCharacters } = index;
  return (
    <>
      <p class="small muted">
        <span class="mono">{folder}</span> ·{" "}
        {memory.index(lines, maxLines, compactCount(characters), compactCount(maxCharacters))}
      </p>
      {list.quarantine.length > 0 && (
        <PageSection title={memory.waiting(list.quarantine.length)}>
          <p class="note">{memory.waitingHelp}</p>
          <ul>
            {list.quarantine.map((memory) => (
              <QuarantinedItem key={memory.id} {...memory} project={project} />
            ))}
          </ul>
        </PageSection>
      )}
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
              <MemoryLine key={item.file} {...item} />
            ))}
          </ul>
        )}
      </PageSection>
      <RetiredMemories project={project} retired={list.retired} />
    </>
  );
}

export default function Memory() {
  const [isAdding, setIsAdding] = useState(false);
  const [saved, setSaved] = useState<MemorySaved>();
  // Memories belong to one project: without a choice, the one that was worked on last.
  const project =
    getFilter("project") || (me.value?.projects.find(({ folder }) => folder !== undefined)?.project ?? "");
  const resource = useResource<MemoryList>(
    "/api/memories",
    project === "" ? undefined : { project },
    memoryVersion.value,
  );
  const file = getFilter("file");
  if (project === "") {
    return (
      <PageFrame title={t.nav.memory}>
        <Empty title={t.memory.noProject} command="throughline install">
          {t.memory.noProjectHelp}
        </Empty>
      </PageFrame>
    );
  }
  return (
    <PageFrame
      title={t.nav.memory}
      head={
        <>
          <span class="muted">{projectName(project)}</span>
          <div class="actions">
            <Button onClick={() => setIsAdding(true)}>{t.memory.add}</Button>
          </div>
        </>
      }
      panel={file !== "" && <MemoryPanel key={file} project={project} file={file} />}
    >
      {saved && <SavedNote saved={saved} />}
      <Loaded from={resource}>{(list) => <Memories {...list} project={project} />}</Loaded>
      {isAdding && (
        <AddMemory
          project={project}
          onDone={(outcome) => {
            setIsAdding(false);
            if (outcome) setSaved(outcome);
          }}
        />
      )}
    </PageFrame>
  );
}

function QuarantinedItem(memory: QuarantinedMemory & { readonly project: string }) {
  const { project, id, name, text, reasons, at } = memory;
  const { error, isBusy, run } = useAction((verdict: "approve" | "reject") =>
    changeMemory("/api/quarantine", { project, id, verdict }),
  );
  return (
    <li class="waiting">
      <h3>
        {name} <span class="tiny faint">{ago(at)}</span>
      </h3>
      <TextBox label={name}>{text}</TextBox>
      <Bullets of={reasons} class="bullets small muted" />
      <ProblemNote error={error} />
      <p class="verdict">
        {(["reject", "approve"] as const).map((verdict) => (
          <Button key={verdict} disabled={isBusy} onClick={() => run(verdict)}>
            {t.memory[verdict]}
          </Button>
        ))}
      </p>
    </li>
  );
}
