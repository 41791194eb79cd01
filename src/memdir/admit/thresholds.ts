// Every threshold by which memories are admitted and compared, each with the labelled cases that hold it, or as a choice.

/** Shares are from 0 to 1: of shared pairs of neighbouring terms, or of shared content terms (Jaccard). */
export const thresholds = {
  /** Two memories say the same. Measured on the pairs in `relations.test.ts`. */
  samePairs: 0.95,
  /** Two memories say nearly the same, in the same order. Measured on the pairs in `relations.test.ts`. */
  nearPairs: 0.6,
  /** The same in another order, by content terms. Measured on the pairs in `relations.test.ts`. */
  nearContent: 0.75,
  /** Fewer content terms match by chance. Measured on the same pairs. */
  nearTerms: 4,
  /** Statements with opposite signs have one subject. Measured on the contradictions in `relations.test.ts`. */
  oppositeTerms: 0.6,
  /** Statements that differ in one value have one subject. Measured on the same cases. */
  sameFrame: 0.8,
  /** A statement with fewer content terms contradicts nothing. A choice. */
  statementTerms: 2,
  /** Two log entries are one candidate, or a memory has it already. Measured on the entries in `dailyLogs.test.ts`. */
  sameEntry: 0.6,
  /** A paragraph repeats an instruction of the project. Measured on the cases in `save.test.ts`. */
  sameInstruction: 0.8,
  /** Shorter paragraphs of the instructions, such as headings, are not compared. A choice. */
  instructionCharacters: 20,
  /** The share of a memory that can be looked up, from which on it is refused. A choice: half. */
  derivableShare: 0.5,
  /** Of what is said about names, so much has to stand where they stand. Measured on the first half of the labelled sentences. */
  saidOfNames: 0.5,
  /** The same without a name, and of at least so many words. Measured on the same. */
  saidWithoutNames: 0.65,
  lookedUpWords: 2,
  /** The same for a sentence with a condition or a consequence, which may be a rule of people. A choice, between the last two and all. */
  saidWhole: 0.75,
  /** Lines in which these words have to stand together. A choice; `ownSentences.ts` shows that whole files are too much. */
  windowLines: 20,
  /** More Chinese characters than these, beside words of programming, say something that code does not. Measured on the same. */
  unexplainedCharacters: 4,
  /** Where the text names numbers or English words of the place, so much of it may be other words. A choice: half. */
  unexplainedShare: 0.5,
  /** Names that a condition in Chinese joins. A choice: of fewer a person forbids something. */
  conditionNames: 3,
  /** A description with fewer specific words is abstract. Measured on the descriptions in `save.test.ts`. */
  specificWords: 2,
  /** The same for Chinese characters; a specific word counts as two. Measured on the same descriptions. */
  specificCharacters: 4,
  /** Terms of a model's wording that the log has. Measured on the answers in `wording.test.ts`. */
  groundedTerms: 0.5,
} as const;
