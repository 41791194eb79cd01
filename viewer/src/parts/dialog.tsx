// A sheet above the page. The browser's own dialog keeps the focus in and gives it back.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { t } from "../state/look.ts";
import { Icon } from "./icon.tsx";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Dialog({ title, onClose, children }: DialogProps) {
  const sheet = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    sheet.current?.showModal();
  }, []);
  return (
    <dialog class="sheet" ref={sheet} aria-labelledby={heading} onClose={onClose}>
      <div class="sheet-head">
        <h2 id={heading}>{title}</h2>
        <button type="button" class="quiet" aria-label={t.value.close} onClick={() => sheet.current?.close()}>
          <Icon name="close" />
        </button>
      </div>
      {children}
    </dialog>
  );
}
