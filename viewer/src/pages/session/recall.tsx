// The exact text behind a handle, asked for page by page.
import { useState } from "preact/hooks";
import type { RecallPage } from "../../../../src/http/wire.ts";
import { useAttempt } from "../../parts/attempt.ts";
import { bytes } from "../../parts/format.ts";
import { TextBox } from "../../parts/reading.tsx";
import { ProblemNote } from "../../parts/states.tsx";
import { t } from "../../state/look.ts";
import { ask } from "../../wire.ts";

export function Recall({ handle }: { readonly handle: string }) {
  const { window: words } = t.value;
  const [text, setText] = useState<string>();
  const [next, setNext] = useState<number | undefined>(0);
  const [size, setSize] = useState(0);
  const { error, attempt } = useAttempt();
  const more = () =>
    attempt(async () => {
      const page = await ask<RecallPage>("/api/recall", { handle, offset: next });
      setText((before = "") => before + page.text);
      setNext(page.next);
      setSize(page.bytes);
    });
  return (
    <div class="recall">
      <p class="small">
        <code>{handle}</code>{" "}
        {next !== undefined && (
          <button type="button" class="link" onClick={() => void more()}>
            {text === undefined ? words.recall : words.recallMore}
          </button>
        )}
        {text !== undefined && <span class="faint"> {words.recalled(bytes(size))}</span>}
      </p>
      {error !== undefined && <ProblemNote error={error} />}
      {text !== undefined && <TextBox label={words.recalledText(handle)}>{text}</TextBox>}
    </div>
  );
}
