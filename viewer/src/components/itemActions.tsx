// Edit, delete and undo of one observation or summary, in its panel.
import { useState } from "preact/hooks";
import type { Item } from "../../../src/http/wire.ts";
import { post } from "../state/api.ts";
import { t } from "../state/preferences.ts";
import { Button, onValue } from "./layout.tsx";
import { ProblemNote, useAction } from "./resource.tsx";

type EditableItem = Extract<Item, { readonly kind: "observation" | "summary" }>;

/** The fields that the page edits; the command line edits the rest. */
function editedFields({ kind, row }: EditableItem): Readonly<Record<string, string>> {
  return kind === "observation"
    ? { title: row.title, narrative: row.narrative ?? "" }
    : { completed: row.completed ?? "", nextSteps: row.nextSteps ?? "" };
}

interface ItemActionsProps {
  readonly id: string;
  /** Absent once it is deleted. */
  readonly item: Item | undefined;
  readonly onChange: () => void;
}

export function ItemActions({ id, item, onChange }: ItemActionsProps) {
  const [fields, setFields] = useState<Readonly<Record<string, string>>>();
  const { error, isBusy, run } = useAction(async (action: "edit" | "delete" | "undo", text: object = {}) => {
    await post("/api/item", { ref: id, action, text });
    setFields(undefined);
    onChange();
  });
  if (item?.kind === "prompt" || item?.kind === "message" || /^[PM]/i.test(id)) return null;
  const texts = t.item;
  return (
    <section>
      <ProblemNote error={error} />
      {fields &&
        Object.entries(fields).map(([name, text]) => (
          <label key={name}>
            {texts[name as "title"]}
            <textarea
              class="field"
              rows={name === "title" ? 2 : 6}
              value={text}
              onInput={onValue((now) => setFields({ ...fields, [name]: now }))}
            />
          </label>
        ))}
      <p class="verdict">
        {fields ? (
          <>
            <Button disabled={isBusy} onClick={() => run("edit", fields)}>
              {texts.save}
            </Button>
            <Button onClick={() => setFields(undefined)}>{texts.cancel}</Button>
          </>
        ) : (
          <>
            {item && <Button onClick={() => setFields(editedFields(item))}>{texts.edit}</Button>}
            {item && (
              <Button disabled={isBusy} onClick={() => run("delete")}>
                {texts.delete}
              </Button>
            )}
            <Button disabled={isBusy} onClick={() => run("undo")}>
              {texts.undo}
            </Button>
          </>
        )}
      </p>
    </section>
  );
}
