// The definition of `recall`, the tool by which a model reads what left the window.

const text = (description: string) => ({ type: "string", description }) as const;

/** Offer it to the model; its handler is `recall` of the vault. */
export const recallTool = {
  name: "recall",
  description:
    "Read text that left this conversation. Handles such as tl:3f9a0c12b7de stand for it; a tool_use_id works too.",
  input_schema: {
    type: "object",
    properties: {
      handle: text("a handle (tl:…) or a tool_use_id"),
      lines: text("only these lines, as A-B"),
      pattern: text("only lines that match this regular expression"),
    },
    required: ["handle"],
  },
} as const;
