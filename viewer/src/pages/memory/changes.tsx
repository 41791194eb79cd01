// Changes of memories: one version for the list and the panel, what came of a save, the dialog that adds one, and undo of a retirement.
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import type { MemoryList, MemorySaved } from "../../../../src/http/wire.ts";
import { ago } from "../../components/format.ts";
import { Icon } from "../../components/icon.tsx";
import { Bullets, Button, Dialog, onValue, PageSection } from "../../components/layout.tsx";
import { ProblemNote, useAction } from "../../components/resource.tsx";
import { post } from "../../state/api.ts";
import { t } from "../../state/preferences.ts";

/** Grows with each change of a memory, so that the list and the panel load again. */
export const memoryVersion = signal(0);

export async function changeMemory<T>(path: string, body: object) {
  const answer = await post<T>(path, body);
  memoryVersion.value += 1;
  return answer;
}

/** What the worker did with a saved text. */
export function SavedNote({ saved }: { readonly saved: MemorySaved }) {
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

const types = ["user", "feedback", "project", "reference"] as const;

const emptyMemory = { type: "project", name: "", description: "", body: "" };

interface AddProps {
  readonly project: string;
  /** Called with what came of it; without that when the dialog is left. */
  readonly onDone: (saved?: MemorySaved) => void;
}

/** The dialog of a new memory, which is saved by the same rules as one of the command line. */
export function AddMemory({ project, onDone }: AddProps) {
  const { memory } = t;
  const [fields, setFields] = useState(emptyMemory);
  const { error, isBusy, run } = useAction(async () =>
    onDone(await changeMemory<MemorySaved>("/api/memory/add", { project, ...fields })),
  );
  const field = (name: keyof typeof emptyMemory) => ({
    class: "field",
    required: true,
    value: fields[name],
    onInput: onValue((text) => setFields((before) => ({ ...before, [name]: text }))),
  });
  return (
    <Dialog title={memory.add} onClose={() => onDone()}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <label>
          {memory.type}
          <select {...field("type")}>
            {types.map((type) => (
              <option key={type} value={type}>
                {memory.types[type]}
              </option>
            ))}
          </select>
        </label>
        <label>
          {memory.name}
          <input {...field("name")} />
        </label>
        <label>
          {memory.description}
          <input {...field("description")} />
        </label>
        <label>
          {memory.body}
          <textarea {...field("body")} rows={6} />
        </label>
        <ProblemNote error={error} />
        <p class="verdict">
          <button type="submit" class="button main-action" disabled={isBusy}>
            {memory.save}
          </button>
        </p>
      </form>
    </Dialog>
  );
}

const SHOWN_RETIRED = 20;

export function RetiredMemories({
  project,
  retired,
}: Pick<MemoryList, "retired"> & { readonly project: string }) {
  const { memory } = t;
  const { error, run } = useAction((id: string) => changeMemory("/api/memory/undo", { project, id }));
  if (retired.length === 0) return null;
  return (
    <PageSection title={memory.retired(retired.length)}>
      <ProblemNote error={error} />
      <ul class="history small">
        {retired.slice(0, SHOWN_RETIRED).map(({ id, file, at }) => (
          <li key={id}>
            <span class="mono">{file}</span> <span class="faint">{ago(at)}</span>{" "}
            <Button class="link" onClick={() => run(id)}>
              <Icon name="undo" /> {memory.undo}
            </Button>
          </li>
        ))}
      </ul>
    </PageSection>
  );
}
