// One memory: read, edited against what others may have written meanwhile, and taken back.
import { useEffect, useRef, useState } from "preact/hooks";
import type { MemoryDetail, MemorySaved, MemoryUndone } from "../../../../src/http/wire.ts";
import { closeItem } from "../../keyboard.ts";
import { useAttempt } from "../../parts/attempt.ts";
import { ago, dateTime } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { TextBox } from "../../parts/reading.tsx";
import { asProblem, useResource } from "../../parts/resource.ts";
import { Bones, ProblemNote } from "../../parts/states.tsx";
import { t } from "../../state/look.ts";
import { reader } from "../../state/reader.ts";
import { ask, tell, type WireError } from "../../wire.ts";
import { bodyOf } from "./frontmatter.ts";
import { shelfTurn } from "./turn.ts";

interface MemoryProps {
  readonly project: string;
  readonly file: string;
}

interface EditorProps extends MemoryProps {
  readonly detail: MemoryDetail;
  /** With what came of it; without, it was left as it is. */
  readonly onDone: (saved?: MemorySaved) => void;
}

/** Saved with the hash that was read: somebody else's change in between is never written over unseen. */
function useEdit({ project, file, detail, onDone }: EditorProps) {
  const [text, setText] = useState(detail.text);
  const [hash, setHash] = useState(detail.hash);
  const [theirs, setTheirs] = useState<MemoryDetail>();
  const [error, setError] = useState<WireError>();
  const [isBusy, setIsBusy] = useState(false);
  const save = async (): Promise<void> => {
    setIsBusy(true);
    try {
      const saved = await tell<MemorySaved>("/api/memory", { project, file, text, hash });
      shelfTurn.value += 1;
      onDone(saved);
    } catch (failure) {
      const problem = asProblem(failure);
      setError(problem);
      // Shown beside one's own; saving again is then a decision.
      if (problem.status === 409) {
        const now = await ask<MemoryDetail>("/api/memory", { project, file });
        setTheirs(now);
        setHash(now.hash);
      }
    }
    setIsBusy(false);
  };
  return { text, setText, theirs, error, isBusy, save };
}

function Editor(props: EditorProps) {
  const { memory } = t.value;
  const { text, setText, theirs, error, isBusy, save } = useEdit(props);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <label>
        <span class="hidden">{memory.text}</span>
        <textarea
          class="field"
          rows={18}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      {error !== undefined && <ProblemNote error={error} />}
      {theirs !== undefined && (
        <section>
          <h3>{memory.theirs}</h3>
          <TextBox label={memory.theirs}>{theirs.text}</TextBox>
          <button type="button" class="link" onClick={() => setText(theirs.text)}>
            {memory.takeTheirs}
          </button>
        </section>
      )}
      <p class="verdict">
        <button type="submit" class="button main-action" disabled={isBusy || text === props.detail.text}>
          {theirs === undefined ? memory.save : memory.saveMine}
        </button>
        <button type="button" class="button" onClick={() => props.onDone()}>
          {memory.cancel}
        </button>
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

function History({ detail, project }: { readonly detail: MemoryDetail; readonly project: string }) {
  const { memory } = t.value;
  const { error, attempt } = useAttempt();
  const undo = (id: string) =>
    attempt(async () => {
      await tell<MemoryUndone>("/api/memory/undo", { project, id });
      shelfTurn.value += 1;
    });
  if (detail.history.length === 0) return null;
  return (
    <section>
      <h3>{memory.history}</h3>
      {error !== undefined && <ProblemNote error={error} />}
      <ul class="history small">
        {detail.history.map(({ id, at, what, canUndo }) => (
          <li key={id}>
            <time dateTime={at}>{dateTime(at, reader.value)}</time> {what}
            {canUndo && (
              <button type="button" class="link" onClick={() => void undo(id)}>
                {memory.undo}
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Reading({ detail, project }: { readonly detail: MemoryDetail; readonly project: string }) {
  const { memory } = t.value;
  const { item } = detail;
  return (
    <>
      <section>
        <Markdown text={bodyOf(detail.text)} />
      </section>
      {item.evidence.length > 0 && (
        <section>
          <h3>{memory.evidence}</h3>
          <ul class="bullets">
            {item.evidence.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h3>{memory.about}</h3>
        <dl class="facts small">
          <dt>{memory.changed}</dt>
          <dd>{ago(item.changedAt, reader.value)}</dd>
          {item.verifiedAt !== undefined && (
            <>
              <dt>{memory.verified}</dt>
              <dd>{ago(item.verifiedAt, reader.value)}</dd>
            </>
          )}
          {item.author !== undefined && (
            <>
              <dt>{memory.author}</dt>
              <dd>{item.author}</dd>
            </>
          )}
        </dl>
      </section>
      <History detail={detail} project={project} />
    </>
  );
}

export function MemoryPanel({ project, file }: MemoryProps) {
  const { memory } = t.value;
  const [isEditing, setIsEditing] = useState(false);
  const [saved, setSaved] = useState<MemorySaved>();
  const { data, error, reload } = useResource(`${project} ${file} ${shelfTurn.value}`, (signal) =>
    ask<MemoryDetail>("/api/memory", { project, file }, signal),
  );
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus({ preventScroll: true }), []);
  return (
    <aside class="panel" ref={panel} tabIndex={-1} aria-label={memory.panel(file)}>
      <div class="panel-head">
        <span class="mono">{file}</span>
        <button type="button" class="quiet" aria-label={t.value.close} onClick={closeItem}>
          <Icon name="close" />
        </button>
      </div>
      {error !== undefined && <ProblemNote error={error} retry={reload} />}
      {data === undefined ? (
        error === undefined && <Bones lines={6} />
      ) : (
        <>
          <p class="small muted">
            {data.item.type} · {memory.standing[data.item.standing]}
          </p>
          <h2>{data.item.name}</h2>
          <p class="muted">{data.item.description}</p>
          {isEditing ? (
            <Editor
              project={project}
              file={file}
              detail={data}
              onDone={(outcome) => {
                setSaved(outcome);
                setIsEditing(false);
              }}
            />
          ) : (
            <>
              {saved !== undefined && <SavedNote saved={saved} />}
              <p class="verdict">
                <button type="button" class="button" onClick={() => setIsEditing(true)}>
                  <Icon name="change" />
                  {memory.edit}
                </button>
              </p>
              <Reading detail={data} project={project} />
            </>
          )}
        </>
      )}
    </aside>
  );
}
