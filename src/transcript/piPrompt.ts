// The id of a prompt in pi, the same from its session file and from the plugin that saw it.

/** By the entry of the session that comes before the prompt. */
export const piPromptId = (parent: string | null): string => `after-${parent ?? "nothing"}`;
