// The memories of a project: what they say, whether that still holds, what is wrong with them, and who waits to be let in.
import type { MemoryFinding, MemoryItem, MemoryList } from "../../../../src/http/wire.ts";
import { ago, count } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { useResource } from "../../parts/resource.ts";
import { Bones, Empty, ProblemNote } from "../../parts/states.tsx";
import { t } from "../../state/look.ts";
import { filter, filtered } from "../../state/place.ts";
import { reader } from "../../state/reader.ts";
import { me, projectName } from "../../state/worker.ts";
import { ask } from "../../wire.ts";
import { MemoryPanel } from "./panel.tsx";
import { Quarantine } from "./quarantine.tsx";
import { shelfTurn } from "./turn.ts";

const tones = { fresh: "good", stale: "bad", unverifiable: "" } as const;

function Standing({ item }: { readonly item: MemoryItem }) {
  return (
    <span class={`tag ${tones[item.standing]}`} title={item.evidence.join("\n")}>
      {t.value.memory.standing[item.standing]}
    </span>
  );
}

function MemoryLine({ item }: { readonly item: MemoryItem }) {
  const isOpen = filtered("file") === item.file;
  return (
    <li>
      <button
        type="button"
        class={`line memory-line${isOpen ? " open" : ""}${item.isActive ? "" : " inactive"}`}
        data-line
        data-ref={item.file}
        aria-expanded={isOpen}
        onClick={() => filter({ file: isOpen ? "" : item.file })}
      >
        <Icon name="memory" />
        <span class="two">
          <span class="clip name">{item.name}</span>
          <span class="clip small faint">{item.description}</span>
        </span>
        <span class="side">
          <span class="type">{item.type}</span>
          <Standing item={item} />
          <time dateTime={item.changedAt}>{ago(item.changedAt, reader.value)}</time>
        </span>
      </button>
    </li>
  );
}

function Findings({ findings }: { readonly findings: readonly MemoryFinding[] }) {
  const { memory } = t.value;
  if (findings.length === 0) return null;
  return (
    <section class="block">
      <h2>{memory.findings(findings.length)}</h2>
      <ul class="findings">
        {findings.map(({ kind, severity, file, message, fix }) => (
          <li key={`${kind} ${file} ${message}`} data-severity={severity}>
            <Icon name={severity === "note" ? "event" : "warn"} />
            <span>
              {message}
              {file !== undefined && (
                <>
                  {" "}
                  <button type="button" class="link" onClick={() => filter({ file })}>
                    {file}
                  </button>
                </>
              )}
              {fix !== undefined && <span class="muted small"> {fix}</span>}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Shelf({ shelf, project }: { readonly shelf: MemoryList; readonly project: string }) {
  const { memory } = t.value;
  const { items, index } = shelf;
  const shown = (characters: number): string => count(characters, reader.value);
  return (
    <>
      <p class="small muted">
        <span class="mono">{shelf.folder}</span> ·{" "}
        {memory.index(index.lines, index.maxLines, shown(index.characters), shown(index.maxCharacters))}
      </p>
      <Quarantine waiting={shelf.quarantine} project={project} />
      <Findings findings={shelf.findings} />
      <section class="block">
        <h2>{memory.count(items.length)}</h2>
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
      </section>
    </>
  );
}

export default function Memory() {
  const { nav, memory } = t.value;
  // Memories belong to a project and lie in its folder: without a choice it is the one that was worked on last.
  const project =
    filtered("project") || (me.value?.projects.find(({ folder }) => folder !== undefined)?.project ?? "");
  const { data, error, reload } = useResource(
    project === "" ? undefined : `${project} ${shelfTurn.value}`,
    (signal) => ask<MemoryList>("/api/memories", { project }, signal),
  );
  const file = filtered("file");
  return (
    <div class="beside">
      <div class="page">
        <div class="page-head">
          <h1>{nav.memory}</h1>
          {project !== "" && <span class="muted">{projectName(project)}</span>}
        </div>
        {error !== undefined && <ProblemNote error={error} retry={reload} />}
        {project === "" ? (
          <Empty title={memory.noProject} command="throughline install">
            {memory.noProjectHelp}
          </Empty>
        ) : data === undefined ? (
          error === undefined && <Bones />
        ) : (
          <Shelf shelf={data} project={project} />
        )}
      </div>
      {file !== "" && project !== "" && <MemoryPanel key={file} project={project} file={file} />}
    </div>
  );
}
