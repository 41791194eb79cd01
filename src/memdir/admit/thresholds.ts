// Every threshold by which texts of memories are compared, and the labelled cases that hold it.

/** Shares from 0 to 1 of shared pairs of neighbouring terms, or of shared content terms (Jaccard); and fewest terms. */
export const thresholds = {
  /** Two memories say the same: pairs in `relations.test.ts`. */
  samePairs: 0.95,
  /** Two memories say nearly the same, in the same order: pairs in `relations.test.ts`. */
  nearPairs: 0.6,
  /** The same in another order: content terms alone, at least `nearTerms` of them, since fewer match by chance. */
  nearContent: 0.75,
  nearTerms: 4,
  /** Two statements with opposite signs have one subject: contradictions and non-contradictions in `relations.test.ts`. */
  oppositeTerms: 0.6,
  /** Two statements that differ in one value have one subject: the same cases. */
  sameFrame: 0.8,
  /** A statement with fewer content terms contradicts nothing. */
  statementTerms: 2,
  /** Two log entries are one candidate, or a memory has it already: `dailyLogs.test.ts`. */
  sameEntry: 0.6,
  /** A paragraph repeats an instruction of the project: `save.test.ts`. */
  sameInstruction: 0.8,
  /** Terms of a model's wording that the log has: `wording.test.ts`. */
  groundedTerms: 0.5,
} as const;
