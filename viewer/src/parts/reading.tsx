// Places that scroll and hold nothing to press: the keyboard has to be able to get there all the same.
import type { ComponentChildren } from "preact";

/** A page of things to read. */
export function ReadingPage({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
    <section class="page" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}

/** A text of any length in a box of its own, letter by letter as it is. */
export function TextBox({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
    <section class="text-box" tabIndex={0} aria-label={label}>
      <pre>{children}</pre>
    </section>
  );
}
