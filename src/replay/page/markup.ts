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
export function escapeText(text: string): string {
  return text.replace(strange, "\ufffd").replace(/[&<>"'`]/g, (character) => entities[character] ?? "");
}

function inserted(value: Insert) {
  if (value === undefined) return "";
  if (value instanceof Markup) return value.text;
  if (typeof value === "object") return value.map(({ text }) => text).join("");
  return escapeText(String(value));
}

export function html(parts: TemplateStringsArray, ...values: Insert[]): Markup {
  return new Markup(parts.map((part, at) => part + inserted(values[at])).join(""));
}

/** A name that somebody else gave: it cannot change the direction of what stands around it. */
export function foreignName(name: string): Markup {
  return html`<bdi>${name}</bdi>`;
}
