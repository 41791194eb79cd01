// The memories of a project: whether each still holds, what lint finds, what waits in quarantine, and the panel of one.

import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import type {
  MemoryDetail,
  MemoryItem,
  MemoryList,
  MemorySaved,
  QuarantinedMemory,
} from "../../../../src/http/wire.ts";
import { ago, compactCount, dateTime } from "../../components/format.ts";
import { Icon } from "../../components/icon.tsx";
import {
  BulletSection,
  Bullets,
  Button,
  DefinitionList,
  Empty,
  LineButton,
  onValue,
  PageFrame,
  PageSection,
  Panel,
  PanelSection,
  TextBox,
  Time,
} from "../../components/layout.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { Loaded, ProblemNote, useAction, useResource } from "../../components/resource.tsx";
import { ApiError, getJson, me, post, projectName } from "../../state/api.ts";
import { t } from "../../state/preferences.ts";
import { getFilter, setFilters } from "../../state/route.ts";

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
    </>
  );
}

export default function Memory() {
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
      head={<span class="muted">{projectName(project)}</span>}
      panel={file !== "" && <MemoryPanel key={file} project={project} file={file} />}
    >
      <Loaded from={resource}>{(list) => <Memories {...list} project={project} />}</Loaded>
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

/** Grows with each change of a memory, so that the list and the panel load again. */
const memoryVersion = signal(0);

async function changeMemory<T>(path: string, body: object) {
  const answer = await post<T>(path, body);
  memoryVersion.value += 1;
  return answer;
}

interface MemoryProps {
  readonly project: string;
  readonly file: string;
}

interface EditorProps extends MemoryProps {
  readonly detail: MemoryDetail;
  /** Called with the result; without one when the edit is cancelled. */
  readonly onDone: (saved?: MemorySaved) => void;
}

/** Saves with the hash of the text that was read, so that no change made meanwhile is overwritten unseen. */
function Editor({ project, file, detail, onDone }: EditorProps) {
  const { memory } = t;
  const [text, setText] = useState(detail.text);
  const [hash, setHash] = useState(detail.hash);
  const [theirs, setTheirs] = useState<string>();
  const { error, isBusy, run } = useAction(async () => {
    try {
      onDone(await changeMemory<MemorySaved>("/api/memory", { project, file, text, hash }));
    } catch (problem) {
      // A conflict shows the other text beside the edited one; saving again then overwrites it knowingly.
      if (problem instanceof ApiError && problem.status === 409) {
        const now = await getJson<MemoryDetail>("/api/memory", { project, file });
        setTheirs(now.text);
        setHash(now.hash);
      }
      throw problem;
    }
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      <label>
        <span class="hidden">{memory.text}</span>
        <textarea class="field" rows={18} spellcheck={false} value={text} onInput={onValue(setText)} />
      </label>
      <ProblemNote error={error} />
      {theirs !== undefined && (
        <PanelSection title={memory.theirs}>
          <TextBox label={memory.theirs}>{theirs}</TextBox>
          <Button class="link" onClick={() => setText(theirs)}>
            {memory.takeTheirs}
          </Button>
        </PanelSection>
      )}
      <p class="verdict">
        <button type="submit" class="button main-action" disabled={isBusy || text === detail.text}>
          {theirs === undefined ? memory.save : memory.saveMine}
        </button>
        <Button onClick={() => onDone()}>{memory.cancel}</Button>
      </p>
    </form>
  );
}

/** What the worker did with a saved text. */
function SavedNote({ saved }: { readonly saved: MemorySaved }) {
  const notes =
    saved.outcome === "quarantined"
      ? [t.memory.waitsNow, ...saved.reasons]
      : [
          t.memory.saved,
          ...(saved.hidden.length > 0 ? [t.memory.hidden(saved.hidden.join(", "))] : []),
          ...saved.warnings,
        ];
  return <Bullets of={notes} class="note" role="status" />;
}

function MemoryHistory({ history, project }: Pick<MemoryDetail, "history"> & { readonly project: string }) {
  const { error, run } = useAction((id: string) => changeMemory("/api/memory/undo", { project, id }));
  if (history.length === 0) return null;
  return (
    <PanelSection title={t.memory.history}>
      <ProblemNote error={error} />
      <ul class="history small">
        {history.map(({ id, at, what, canUndo }) => (
          <li key={id}>
            <Time at={at} as={dateTime} /> {what}
            {canUndo && (
              <Button class="link" onClick={() => run(id)}>
                {t.memory.undo}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </PanelSection>
  );
}

function MemoryContent({ item, text }: MemoryDetail) {
  const { memory } = t;
  const { evidence, changedAt, verifiedAt, author } = item;
  return (
    <>
      <section>
        <Markdown text={withoutFrontmatter(text)} />
      </section>
      <BulletSection title={memory.evidence} of={evidence} />
      <PanelSection title={memory.about}>
        <DefinitionList
          class="facts small"
          of={[
            [memory.changed, ago(changedAt)],
            [memory.verified, verifiedAt && ago(verifiedAt)],
            [memory.author, author],
          ]}
        />
      </PanelSection>
    </>
  );
}

function MemoryPanel({ project, file }: MemoryProps) {
  const [isEditing, setIsEditing] = useState(false);
  const [saved, setSaved] = useState<MemorySaved>();
  const resource = useResource<MemoryDetail>("/api/memory", { project, file }, memoryVersion.value);
  const onDone = (outcome?: MemorySaved) => {
    setSaved(outcome);
    setIsEditing(false);
  };
  return (
    <Panel label={t.memory.panel(file)} head={<span class="mono">{file}</span>}>
      <Loaded from={resource}>
        {(detail) => (
          <>
            <p class="small muted">
              {detail.item.type} · {t.memory.standing[detail.item.standing]}
            </p>
            <h2>{detail.item.name}</h2>
            <p class="muted">{detail.item.description}</p>
            {isEditing ? (
              <Editor project={project} file={file} detail={detail} onDone={onDone} />
            ) : (
              <>
                {saved && <SavedNote saved={saved} />}
                <p class="verdict">
                  <Button onClick={() => setIsEditing(true)}>
                    <Icon name="change" />
                    {t.memory.edit}
                  </Button>
                </p>
                <MemoryContent {...detail} />
                <MemoryHistory history={detail.history} project={project} />
              </>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

/** The text below the frontmatter; the whole text when there is none. */
export function withoutFrontmatter(text: string) {
  return text.replace(/^\uFEFF?---\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/, "").trim();
}
