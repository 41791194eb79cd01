// The types of an observation.

export const observationTypes = ["decision", "bugfix", "feature", "refactor", "discovery", "change"] as const;

export type ObservationType = (typeof observationTypes)[number];

/** The concept of an observation whose work was taken back, in every language. */
export const UNDONE = "undone";
