// The shapes that pages are made of: blocks, panels, dialogs, buttons, lines that open something, lists of facts.
import type { ComponentChildren, ComponentProps } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { closePanel } from "../state/keyboard.ts";
import { t } from "../state/preferences.ts";
import { getFilter, setFilters } from "../state/route.ts";
import { ago } from "./format.ts";
import { Icon } from "./icon.tsx";

export function Button(props: ComponentProps<"button">) {
  return <button type="button" class="button" {...props} />;
}

/** Handles a field by the text that is in it. */
export const onValue =
  (take: (text: string) => unknown) =>
  ({ currentTarget }: { currentTarget: { value: string } }) =>
    take(currentTarget.value);

function CloseButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <Button class="quiet" aria-label={t.value.close} onClick={onClick}>
      <Icon name="close" />
    </Button>
  );
}

interface OpenerProps {
  /** Names the filter of the address that says what is open. */
  readonly name: "item" | "file" | "event";
  readonly id: string;
  readonly isOpen?: boolean;
  readonly class: string;
  readonly children: ComponentChildren;
}

/** A line that opens something beside the list; once more closes it. */
export function LineButton({
  name,
  id,
  isOpen = getFilter(name) === id,
  class: look,
  children,
}: OpenerProps) {
  return (
    <Button
      class={isOpen ? `${look} open` : look}
      data-line
      data-ref={id}
      aria-expanded={isOpen}
      onClick={() => setFilters({ [name]: isOpen ? "" : id })}
    >
      {children}
    </Button>
  );
}

interface TitledProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A part of a page. */
export function PageSection({ title, children }: TitledProps) {
  return (
    <section class="block">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** A part of a panel. */
export function PanelSection({ title, children }: TitledProps) {
  return (
    <section>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly command?: string;
  readonly children?: ComponentChildren;
}

export function Empty({ title, command, children }: EmptyProps) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      <div>{children}</div>
      {command !== undefined && <pre>{command}</pre>}
    </div>
  );
}

interface FactsProps {
  readonly class?: string;
  readonly of: readonly (readonly [name: ComponentChildren, value: ComponentChildren])[];
}

/** Names with their values; a value that is undefined is left out with its name. */
export function DefinitionList({ class: look = "facts", of }: FactsProps) {
  return (
    <dl class={look}>
      {of.flatMap(([name, value], at) =>
        value === undefined ? [] : [<dt key={`${at} name`}>{name}</dt>, <dd key={at}>{value}</dd>],
      )}
    </dl>
  );
}

export function Bullets({ of, ...look }: { readonly of: readonly string[]; readonly class?: string }) {
  return (
    <ul class="bullets" {...look}>
      {of.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

export function Time({ at, as = ago }: { readonly at: string; readonly as?: (at: string) => string }) {
  return <time dateTime={at}>{as(at)}</time>;
}

interface ScrollingProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

/** A page of things to read and nothing to press: the keyboard has to be able to scroll it all the same. */
export function ReadingPage({ label, children }: ScrollingProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
    <section class="page" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}

/** A text of any length in a box of its own, letter by letter as it is. */
export function TextBox({ label, children }: ScrollingProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
    <section class="text-box" tabIndex={0} aria-label={label}>
      <pre>{children}</pre>
    </section>
  );
}

interface PanelProps extends ScrollingProps {
  readonly class?: string;
  readonly head: ComponentChildren;
}

/** Something whole, beside the list it was opened from. Takes the focus when it opens. */
export function Panel({ label, head, class: look = "panel", children }: PanelProps) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus({ preventScroll: true }), []);
  return (
    <aside class={look} ref={panel} tabIndex={-1} aria-label={label}>
      <div class="panel-head">
        {head}
        <CloseButton onClick={closePanel} />
      </div>
      {children}
    </aside>
  );
}

interface DialogProps extends TitledProps {
  readonly onClose: () => void;
}

/** A sheet above the page. The browser's own dialog keeps the focus in and gives it back. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const sheet = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => sheet.current?.showModal(), []);
  return (
    <dialog class="sheet" ref={sheet} aria-labelledby={heading} onClose={onClose}>
      <div class="sheet-head">
        <h2 id={heading}>{title}</h2>
        <CloseButton onClick={() => sheet.current?.close()} />
      </div>
      {children}
    </dialog>
  );
}
