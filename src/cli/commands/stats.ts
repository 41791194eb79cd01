// `throughline stats`: how much is kept, of what, and since when.
import { defineCommand } from "../command.ts";
import { withReading } from "../finding/reading.ts";
import { columns } from "../output.ts";
import { counted, localMinute } from "../wording.ts";
import { megabytes, told } from "./data/database.ts";

const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count.toLocaleString("en-US")}`)
    .join(", ") || "none";

const spanOf = (oldest: string, newest = oldest): string => `${localMinute(oldest)} – ${localMinute(newest)}`;

const SHOWN_PROJECTS = 10;

export default defineCommand({
  args: {},
  examples: [
    { line: "throughline stats", does: "rows, sizes, projects" },
    { line: "throughline stats --json", does: "the same for a program, by day too" },
  ],
  async run() {
    const data = await withReading((store) => store.stats());
    const projects = data.projects.slice(0, SHOWN_PROJECTS);
    const rows = [
      ["kept", told(data.counts)],
      ["on disk", `${megabytes(data.bytes)}, ${megabytes(data.freeBytes)} of it free`],
      ["time", data.oldest === undefined ? "nothing yet" : spanOf(data.oldest, data.newest)],
      ["observations", listed(data.observationsByType)],
      ["events", listed(data.eventsByKind)],
      ...projects.map(({ project, sessions, events }, at) => [
        at === 0 ? "projects" : "",
        `${project}: ${counted(sessions, "session")}, ${counted(events, "event")}`,
      ]),
    ];
    return { data, text: columns(rows) };
  },
});
