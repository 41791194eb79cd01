// The panel of one memory: its text, what was checked, its history; edit, retire and undo.
import { useState } from "preact/hooks";
import type { MemoryDetail, MemorySaved } from "../../../../src/http/wire.ts";
import { ago, dateTime } from "../../components/format.ts";
import { Icon } from "../../components/icon.tsx";
import {
  BulletSection,
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
import { ApiError, getJson } from "../../state/api.ts";
import { t } from "../../state/preferences.ts";
import { setFilters } from "../../state/route.ts";
import { changeMemory, memoryVersion, SavedNote } from "./changes.tsx";

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

/** Takes the memory out of the folder; the page offers to undo it. */
function Retire({ project, file, hash }: MemoryProps & Pick<MemoryDetail, "hash">) {
  const { error, isBusy, run } = useAction(async () => {
    await changeMemory("/api/memory/retire", { project, file, hash });
    setFilters({ file: "" });
  });
  return (
    <>
      <Button disabled={isBusy} onClick={run} title={t.memory.retireHelp}>
        <Icon name="close" />
        {t.memory.retire}
      </Button>
      <ProblemNote error={error} />
    </>
  );
}

export function MemoryPanel({ project, file }: MemoryProps) {
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
                  <Retire project={project} file={file} hash={detail.hash} />
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
