// The mark around everything Throughline tells a model, by which it knows its own words when it meets them again.

const NAME = "throughline-context";
const OPENING_TAG = `<${NAME}`;

export const ownContextMark = { name: NAME, close: `</${NAME}>` } as const;

/** The text without the blocks that came from here; one that is not closed (a cut-off copy) reaches to the end. */
export function withoutOwnContext(text: string) {
  if (!text.includes(OPENING_TAG)) return text;
  return text.replace(/<throughline-context(?:\s[^<>]*)?>[\s\S]*?(?:<\/throughline-context>|$)/g, "");
}

/** Whether a tool is one of ours, however the agent names its server: by our own name, as a plugin's, or in front of the tool. */
export function isOwnTool(name: unknown) {
  // Hooks ask this at every call: comparing is cheaper than a pattern.
  const text = String(name);
  return text.startsWith("throughline_") || (text.startsWith("mcp__") && text.includes("throughline__"));
}
