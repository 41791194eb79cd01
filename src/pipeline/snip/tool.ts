// Level 2, snip: the model names user turns it no longer needs, and they leave whole.
import type { JsonObject } from "../../lib/index.ts";

const tags = (description: string) =>
  ({ type: "array", items: { type: "string" }, minItems: 1, description }) as const;

/** The tool as the API takes it. */
export const snipTool = {
  name: "snip",
  description:
    "Remove user turns that are no longer needed from the conversation. Each user message ends with a tag like [id:abc123]; a turn is that message and everything up to the next user message, tool calls and results included. Removed turns stay on disk and can be brought back with unsnip.",
  input_schema: {
    type: "object",
    properties: {
      ids: tags("tags of the turns to remove, as in [id:abc123]"),
      reason: { type: "string", description: "why they are no longer needed" },
    },
    required: ["ids", "reason"],
    additionalProperties: false,
  },
} as const;

export const unsnipTool = {
  name: "unsnip",
  description: "Bring back user turns that snip removed.",
  input_schema: {
    type: "object",
    properties: { ids: tags("tags of the removed turns") },
    required: ["ids"],
    additionalProperties: false,
  },
} as const;

/** The ids a model gave, whatever it wrapped them in; undefined for input that is not of the tool's shape. */
export function readIds(input: unknown): readonly string[] | undefined {
  const { ids } = (typeof input === "object" && input !== null ? input : {}) as JsonObject;
  if (!Array.isArray(ids) || ids.length === 0 || !ids.every((id) => typeof id === "string")) return undefined;
  return ids.map((id) =>
    id
      .trim()
      .replace(/^\[?(?:id:)?/, "")
      .replace(/\]$/, ""),
  );
}
