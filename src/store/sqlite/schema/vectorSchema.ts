// The tables of vectors: ordinary ones, so that what is forgotten goes by a trigger wherever the database is opened.

/** One row says whose vectors these are and how far they reach. */
export const vectorTables = `
  CREATE TABLE vector_model (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    name TEXT NOT NULL,
    dimensions INTEGER NOT NULL,
    until INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE vectors (passage INTEGER PRIMARY KEY, vector BLOB NOT NULL) STRICT;
  CREATE TRIGGER passages_vector_ad AFTER DELETE ON passages
    BEGIN DELETE FROM vectors WHERE passage = old.id; END;`;
