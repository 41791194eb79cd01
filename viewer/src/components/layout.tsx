// Elements that pages are built from: page frame, sections, panels, dialogs, buttons, lines that open a panel, lists, tables.
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

/** An event handler that gets the field's text. */
export const onValue =
  (handle: (text: string) => unknown) =>
  ({ currentTarget }: { currentTarget: { value: string } }) =>
    handle(currentTarget.value);

function CloseButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <Button class="quiet" aria-label={t.close} onClick={onClick}>
      <Icon name="close" />
    </Button>
  );
}

interface LineButtonProps {
  /** The filter in the address that holds the id of what is open. */
  readonly name: "item" | "file" | "event";
  readonly id: string;
  readonly isOpen?: boolean;
  readonly class: string;
  readonly children: ComponentChildren;
}

/** A line of a list that opens its panel, and closes it again. */
export function LineButton({ name, id, isOpen = getFilter(name) === id, ...rest }: LineButtonProps) {
  return (
    <Button
      {...rest}
      class={isOpen ? `${rest.class} open` : rest.class}
      data-line
      data-ref={id}
      aria-expanded={isOpen}
      onClick={() => setFilters({ ...(name === "item" && { event: "" }), [name]: isOpen ? "" : id })}
    />
  );
}

interface TitledProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

interface PageFrameProps extends TitledProps {
  readonly class?: string;
  /** Beside the title. */
  readonly head?: ComponentChildren;
  /** What is open beside the page. */
  readonly panel?: ComponentChildren;
}

export function PageFrame({ title, class: look = "page", head, panel, children }: PageFrameProps) {
  return (
    <div class="beside">
      <div class={look}>
        <div class="page-head">
          <h1>{title}</h1>
          {head}
        </div>
        {children}
      </div>
      {panel}
    </div>
  );
}

export function PageSection({ title, children }: TitledProps) {
  return (
    <section class="block">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

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
      {command && <pre>{command}</pre>}
    </div>
  );
}

interface DefinitionListProps {
  readonly class?: string;
  readonly of: readonly (readonly [name: ComponentChildren, value: ComponentChildren])[];
}

/** Names with their values; leaves out a name whose value is undefined. */
export function DefinitionList({ class: look = "facts", of }: DefinitionListProps) {
  return (
    <dl class={look}>
      {of.flatMap(([name, value], at) =>
        value === undefined ? [] : [<dt key={`${at} name`}>{name}</dt>, <dd key={at}>{value}</dd>],
      )}
    </dl>
  );
}

export function Bullets({ of, ...rest }: ComponentProps<"ul"> & { readonly of: readonly string[] }) {
  return (
    <ul class="bullets" {...rest}>
      {of.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

interface BulletSectionProps {
  readonly title: string;
  readonly of: readonly string[] | undefined;
}

/** Left out when there is nothing to list. */
export function BulletSection({ title, of = [] }: BulletSectionProps) {
  if (of.length === 0) return null;
  return (
    <PanelSection title={title}>
      <Bullets of={of} />
    </PanelSection>
  );
}

interface DataTableProps {
  readonly heads?: readonly string[];
  /** The first cell of a row names it; the others are right-aligned. */
  readonly rows: readonly (readonly ComponentChildren[])[];
}

export function DataTable({ heads, rows }: DataTableProps) {
  return (
    <WideBox label={heads?.[0] ?? t.table}>
      <table class="table">
        {heads && (
          <thead>
            <tr>
              {heads.map((head, at) => (
                <th key={at} scope="col" class={at > 0 ? "end" : undefined}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map(([name, ...cells], row) => (
            <tr key={row}>
              <th scope="row">{name}</th>
              {cells.map((cell, at) => (
                <td key={at} class="end num">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </WideBox>
  );
}

/** Scrolls sideways where its table does not fit. */
export function WideBox({ label, children }: ScrollingProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
    <section class="scrolls-x" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}

export function Time({ at, as = ago }: { readonly at: string; readonly as?: (at: string) => string }) {
  return <time dateTime={at}>{as(at)}</time>;
}

interface ScrollingProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

/** A preformatted text of any length in a scrolling box. */
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

/** Details beside the list they were opened from. Takes the focus when it opens. */
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

/** A modal dialog; the browser keeps the focus inside it and gives it back. */
export function Dialog({ title, onClose, children }: TitledProps & { readonly onClose: () => void }) {
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
