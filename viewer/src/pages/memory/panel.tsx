// One memory: read, edited against what others may have written meanwhile, and taken back.
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import type { MemoryDetail, MemorySaved, MemoryUndone } from "../../../../src/http/wire.ts";
import { ago, dateTime } from "../../components/format.ts";
import { Icon } from "../../components/icon.tsx";
import {
  Bullets,
  Button,
  DefinitionList,
  onValue,
  Panel,
  PanelSection,
  TextBox,
  Time,
} from "../../components/layout.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { Loaded, ProblemNote, useAction, useResource } from "../../components/resource.tsx";
import { ApiError, getJson, postJson } from "../../state/api.ts";
import { t } from "../../state/preferences.ts";

interface MemoryProps {
  readonly project: string;
  readonly file: string;
}

interface EditorProps extends MemoryProps {
  readonly detail: MemoryDetail;
  /** With what came of it; without, it was left as it is. */
  readonly onDone: (saved?: MemorySaved) => void;
}

/** Saves with the hash that was read: a change made elsewhere in between is never overwritten unseen. */
function useEdit({ project, file, detail, onDone }: EditorProps) {
  const [text, setText] = useState(detail.text);
  const [hash, setHash] = useState(detail.hash);
  const [theirs, setTheirs] = useState<MemoryDetail>();
  const { error, isBusy, attempt } = useAction();
  const save = () =>
    attempt(async () => {
      try {
        const saved = await postJson<MemorySaved>("/api/memory", { project, file, text, hash });
        memoryVersion.value += 1;
        onDone(saved);
      } catch (problem) {
        // Shown beside one's own; saving again is then a decision.
        if (problem instanceof ApiError && problem.status === 409) {
          const now = await getJson<MemoryDetail>("/api/memory", { project, file });
          setTheirs(now);
          setHash(now.hash);
        }
        throw problem;
      }
    });
  return { text, setText, theirs, error, isBusy, save };
}

function Editor(props: EditorProps) {
  const { memory } = t.value;
  const { text, setText, theirs, error, isBusy, save } = useEdit(props);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <label>
        <span class="hidden">{memory.text}</span>
        <textarea class="field" rows={18} spellcheck={false} value={text} onInput={onValue(setText)} />
      </label>
      <ProblemNote error={error} />
      {theirs !== undefined && (
        <PanelSection title={memory.theirs}>
          <TextBox label={memory.theirs}>{theirs.text}</TextBox>
          <Button class="link" onClick={() => setText(theirs.text)}>
            {memory.takeTheirs}
          </Button>
        </PanelSection>
      )}
      <p class="verdict">
        <button type="submit" class="button main-action" disabled={isBusy || text === props.detail.text}>
          {theirs === undefined ? memory.save : memory.saveMine}
        </button>
        <Button onClick={() => props.onDone()}>{memory.cancel}</Button>
      </p>
    </form>
  );
}

/** What the reader should know of what was saved. */
function SavedNote({ saved }: { readonly saved: MemorySaved }) {
  const { memory } = t.value;
  const notes =
    saved.outcome === "quarantined"
      ? [memory.waitsNow, ...saved.reasons]
      : [
          memory.saved,
          ...(saved.hidden.length > 0 ? [memory.hidden(saved.hidden.join(", "))] : []),
          ...saved.warnings,
        ];
  return (
    <ul class="note" role="status">
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
}

function MemoryHistory({ detail, project }: { readonly detail: MemoryDetail; readonly project: string }) {
  const { memory } = t.value;
  const { error, attempt } = useAction();
  const undo = (id: string) =>
    attempt(async () => {
      await postJson<MemoryUndone>("/api/memory/undo", { project, id });
      memoryVersion.value += 1;
    });
  if (detail.history.length === 0) return null;
  return (
    <PanelSection title={memory.history}>
      <ProblemNote error={error} />
      <ul class="history small">
        {detail.history.map(({ id, at, what, canUndo }) => (
          <li key={id}>
            <Time at={at} as={dateTime} /> {what}
            {canUndo && (
              <Button class="link" onClick={() => undo(id)}>
                {memory.undo}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </PanelSection>
  );
}

function MemoryText({ detail, project }: { readonly detail: MemoryDetail; readonly project: string }) {
  const { memory } = t.value;
  const { item } = detail;
  return (
    <>
      <section>
        <Markdown text={withoutFrontmatter(detail.text)} />
      </section>
      {item.evidence.length > 0 && (
        <PanelSection title={memory.evidence}>
          <Bullets of={item.evidence} />
        </PanelSection>
      )}
      <PanelSection title={memory.about}>
        <DefinitionList
          class="facts small"
          of={[
            [memory.changed, ago(item.changedAt)],
            [memory.verified, item.verifiedAt && ago(item.verifiedAt)],
            [memory.author, item.author],
          ]}
        />
      </PanelSection>
      <MemoryHistory detail={detail} project={project} />
    </>
  );
}

export function MemoryPanel({ project, file }: MemoryProps) {
  const { memory } = t.value;
  const [isEditing, setIsEditing] = useState(false);
  const [saved, setSaved] = useState<MemorySaved>();
  const resource = useResource<MemoryDetail>("/api/memory", { project, file }, memoryVersion.value);
  return (
    <Panel label={memory.panel(file)} head={<span class="mono">{file}</span>}>
      <Loaded from={resource} lines={6}>
        {(detail) => (
          <>
            <p class="small muted">
              {detail.item.type} · {memory.standing[detail.item.standing]}
            </p>
            <h2>{detail.item.name}</h2>
            <p class="muted">{detail.item.description}</p>
            {isEditing ? (
              <Editor
                project={project}
                file={file}
                detail={detail}
                onDone={(outcome) => {
                  setSaved(outcome);
                  setIsEditing(false);
                }}
              />
            ) : (
              <>
                {saved !== undefined && <SavedNote saved={saved} />}
                <p class="verdict">
                  <Button onClick={() => setIsEditing(true)}>
                    <Icon name="change" />
                    {memory.edit}
                  </Button>
                </p>
                <MemoryText detail={detail} project={project} />
              </>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

export const memoryVersion = signal(0);

/** Everything below the frontmatter; the whole text when there is none. */
export function withoutFrontmatter(text: string): string {
  return text.replace(/^\uFEFF?---\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/, "").trim();
}
