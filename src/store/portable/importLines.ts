// Reads lines of an export: checks each, redacts it where asked, and counts what an engine keeps of it.
import { isObject, type JsonObject, parseJson, ThroughlineError } from "../../lib/index.ts";
import { countedTables, type ImportOptions, type ImportReport } from "../upkeep.ts";
import { type DataLine, dataLine, EXPORT_VERSION, headerLine } from "./exportFormat.ts";

const IMPORT_BATCH = 500;
const REPORTED_REJECTIONS = 100;

export type ImportedTable = (typeof countedTables)[number];
const zeros = () =>
  Object.fromEntries(countedTables.map((name) => [name, 0])) as Record<ImportedTable, number>;

const newTotals = () => ({
  added: zeros(),
  known: zeros(),
  rejected: [] as { line: number; reason: string }[],
  rejectedCount: 0,
  complete: false,
  /** The events that this import added: only their jobs are queued again. */
  newEvents: new Set<string>(),
});

export type ImportTotals = ReturnType<typeof newTotals>;

/** Checks each line and hands batches over to be kept. */
export async function readImport(
  lines: AsyncIterable<string>,
  options: ImportOptions,
  keep: (batch: readonly DataLine[], totals: ImportTotals) => void | Promise<void>,
): Promise<ImportReport> {
  const totals = newTotals();
  let batch: DataLine[] = [];
  const flush = async () => {
    if (batch.length > 0) await keep(batch, totals);
    batch = [];
  };
  let number = 0;
  let isFirst = true;
  for await (const line of lines) {
    number += 1;
    if (line.trim() === "") continue;
    const parsed = parseJson(line);
    if (isFirst) {
      requireHeader(parsed);
      isFirst = false;
      continue;
    }
    const data = await readLine(parsed, number, totals, options.redact);
    if (data) batch.push(data);
    if (batch.length >= IMPORT_BATCH) await flush();
  }
  if (isFirst) requireHeader(undefined);
  await flush();
  const { newEvents: _events, ...report } = totals;
  return report;
}

function requireHeader(value: unknown) {
  const header = headerLine.safeParse(value);
  if (!header.success) {
    throw new ThroughlineError(
      "usage",
      "this is not an export: its first line does not say so",
      "give a file written by `throughline data export`; sessions of Claude Code come in by `throughline import`",
    );
  }
  if (header.data.version <= EXPORT_VERSION) return;
  throw new ThroughlineError(
    "usage",
    `this export is of version ${header.data.version}, newer than we know`,
    "install the version of Throughline that wrote it, or a newer one",
  );
}

async function readLine(
  value: unknown,
  line: number,
  totals: ImportTotals,
  redact: ImportOptions["redact"],
): Promise<DataLine | undefined> {
  const safe = redact && isObject(value) ? await redactedLine(value, redact) : value;
  const data = dataLine.safeParse(safe);
  if (!data.success) {
    const issue = data.error.issues[0];
    totals.rejectedCount += 1;
    if (totals.rejected.length < REPORTED_REJECTIONS) {
      const at = !issue || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
      totals.rejected.push({ line, reason: `${at}${issue?.message ?? "not a line of an export"}` });
    }
    return undefined;
  }
  if (data.data.type !== "end") return data.data;
  totals.complete = true;
  return undefined;
}

/** Fields that identify a row are not redacted: a mark in their place would join rows. */
const identifyingFields = ["type", "id", "uid", "uuid", "key", "kind", "session", "project", "at"];

async function redactedLine(line: JsonObject, redact: NonNullable<ImportOptions["redact"]>) {
  const rest = Object.fromEntries(Object.entries(line).filter(([name]) => !identifyingFields.includes(name)));
  return { ...line, ...(await redact(rest)) };
}
