// Export and import: everything as a file of lines, and such a file back in.
import { useState } from "preact/hooks";
import type { Imported } from "../../../../src/http/wire.ts";
import { asProblem } from "../../parts/resource.ts";
import { ProblemNote } from "../../parts/states.tsx";
import { t } from "../../state/look.ts";
import { filtered } from "../../state/place.ts";
import { getAcquainted } from "../../state/worker.ts";
import { addressWith, sendLines, type WireError } from "../../wire.ts";
import { Row } from "./row.tsx";

function Report({ report }: { readonly report: Imported }) {
  const { transfer } = t.value;
  const sum = (counts: Imported["added"]): number => Object.values(counts).reduce((all, one) => all + one, 0);
  return (
    <div role="status">
      <p>{transfer.imported(sum(report.added), sum(report.known))}</p>
      {report.rejectedCount > 0 && (
        <>
          <p>{transfer.rejected(report.rejectedCount)}</p>
          <ul class="bullets small muted">
            {report.rejected.slice(0, 5).map(({ line, reason }) => (
              <li key={line}>
                {line}: {reason}
              </li>
            ))}
          </ul>
        </>
      )}
      {!report.complete && <p>{transfer.incomplete}</p>}
    </div>
  );
}

export function Transfer() {
  const { transfer } = t.value;
  const [outcome, setOutcome] = useState<Imported | WireError | "busy">();
  const take = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    setOutcome("busy");
    try {
      setOutcome(await sendLines<Imported>("/api/import", file));
      await getAcquainted();
    } catch (problem) {
      setOutcome(asProblem(problem));
    }
  };
  return (
    <section class="block">
      <h2>{transfer.title}</h2>
      <Row title={transfer.exportTitle} help={transfer.exportHelp}>
        <div>
          <a class="button" href={addressWith("/api/export", { project: filtered("project") })} download>
            {transfer.export}
          </a>
        </div>
      </Row>
      <Row title={transfer.importTitle} help={transfer.importHelp}>
        <div>
          <label class="button">
            {transfer.import}
            <input
              type="file"
              class="hidden"
              accept=".jsonl,.ndjson,.json"
              onChange={({ currentTarget }) => {
                void take(currentTarget.files?.[0]);
                currentTarget.value = "";
              }}
            />
          </label>
          {outcome === "busy" && <p class="note">{t.value.loading}…</p>}
          {outcome instanceof Error && <ProblemNote error={outcome} />}
          {outcome !== undefined && outcome !== "busy" && !(outcome instanceof Error) && (
            <Report report={outcome} />
          )}
        </div>
      </Row>
    </section>
  );
}
