// The keys, listed.
import { isHelpOpen } from "./keyboard.ts";
import { Dialog } from "./parts/dialog.tsx";
import { pageKeys } from "./state/keys.ts";
import { t } from "./state/look.ts";

export function Help() {
  const { help, nav } = t.value;
  const close = (): void => {
    isHelpOpen.value = false;
  };
  return (
    <Dialog title={help.title} onClose={close}>
      <dl class="keys">
        <dt>
          <kbd>/</kbd>
        </dt>
        <dd>{help.search}</dd>
        <dt>
          <kbd>j</kbd> <kbd>k</kbd>
        </dt>
        <dd>{help.move}</dd>
        <dt>
          <kbd>Enter</kbd>
        </dt>
        <dd>{help.open}</dd>
        <dt>
          <kbd>Esc</kbd>
        </dt>
        <dd>{help.close}</dd>
        {Object.entries(pageKeys).flatMap(([key, page]) => [
          <dt key={`${key}-key`}>
            <kbd>g</kbd> <kbd>{key}</kbd>
          </dt>,
          <dd key={key}>{nav[page]}</dd>,
        ])}
        <dt>
          <kbd>?</kbd>
        </dt>
        <dd>{help.help}</dd>
      </dl>
    </Dialog>
  );
}
