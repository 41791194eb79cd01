// The types of an observation.

export const observationTypes = ["decision", "bugfix", "feature", "refactor", "discovery", "change"] as const;

export type ObservationType = (typeof observationTypes)[number];
