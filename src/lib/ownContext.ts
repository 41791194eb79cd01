// The mark around everything Throughline tells a model, by which it knows its own words when it meets them again.

const NAME = "throughline-context";
const OPEN = `<${NAME}`;

export const ownContextMark = { name: NAME, close: `</${NAME}>` } as const;

/** Whether any string in a JSON value may hold such a block. */
export function mentionsOwnContext(value: unknown): boolean {
  if (typeof value === "string") return value.includes(OPEN);
  return typeof value === "object" && value !== null && Object.values(value).some(mentionsOwnContext);
}

/** The text without the blocks that came from here; one that is not closed (a cut-off copy) reaches to the end. */
export function withoutOwnContext(text: string): string {
  if (!text.includes(OPEN)) return text;
  return text.replace(/<throughline-context(?:\s[^<>]*)?>[\s\S]*?(?:<\/throughline-context>|$)/g, "");
}
