// Markup that cannot be broken out of: whatever is put into a template is text, unless it is markup already.

export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Insert = string | number | Markup | readonly Markup[] | undefined;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

/** Characters that no name needs: they end texts early, or turn around how what follows is read. */
const strange = /[\p{Cc}\p{Cs}\p{Cn}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A text as it may stand between tags and inside quotes. */
export function escapeText(text: string) {
  return text.replace(strange, "\ufffd").replace(/[&<>"'`]/g, (character) => entities[character] ?? "");
}

function inserted(value: Insert) {
  if (value === undefined) return "";
  if (value instanceof Markup) return value.text;
  if (typeof value === "object") return value.map(({ text }) => text).join("");
  return escapeText(String(value));
}

export function html(parts: TemplateStringsArray, ...values: Insert[]) {
  return new Markup(parts.map((part, at) => part + inserted(values[at])).join(""));
}

/** A name from outside: isolated, so that it cannot change the direction of the text around it. */
export function foreignName(name: string) {
  return html`<bdi>${name}</bdi>`;
}

export const percent = (share: number | undefined) =>
  share === undefined ? "–" : `${(share * 100).toFixed(1)} %`;

export const dollars = (amount: number) =>
  `$${amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

export const whole = (count: number) => Math.round(count).toLocaleString("en-US");

const largeUnits = [
  [1e9, "B"],
  [1e6, "M"],
  [1e3, "k"],
] as const;

/** 334.7 M, 1.5 M, 920. */
export function large(count: number) {
  const [size, unit] = largeUnits.find(([least]) => count >= least) ?? [1, ""];
  return unit === "" ? whole(count) : `${(count / size).toFixed(1)} ${unit}`;
}

export const countOf = (count: number, one: string, many = `${one}s`) =>
  `${whole(count)} ${count === 1 ? one : many}`;
