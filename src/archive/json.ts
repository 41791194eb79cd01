// Archives for programs: one JSON document a session, its header and each part on a line of their own.
import type { Format } from "./model.ts";

const NEWLINE = 0x0a;

export const json: Format = {
  extension: ".json",
  trailer: "\n]}\n",
  header({ archivedAt, timeZone: _, ...facts }) {
    const fields = JSON.stringify({ version: 1, archivedAt: new Date(archivedAt).toISOString(), ...facts });
    return `${fields.slice(0, -1)},"parts":[\n`;
  },
  part({ at, ...part }, { isFirst }) {
    const time = at === undefined ? {} : { at: new Date(at).toISOString() };
    return `${isFirst ? "" : ",\n"}${JSON.stringify({ ...part, ...time })}`;
  },
  headerEnd(beginning) {
    const at = beginning.indexOf(NEWLINE);
    return at < 0 ? undefined : at + 1;
  },
  isOf: (header, session) => header.includes(`"session":${JSON.stringify(session)},`),
};
