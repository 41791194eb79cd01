// What was imported, so that it is not read again, and a way to find a row that another session has too.

/** The state belongs to the rows: a backup that is put back brings the state of its time along. */
export const importTables = `
  CREATE TABLE imported (key TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX messages_by_uuid ON messages(uuid) WHERE role <> 'tool';`;
