// What was held back because it reads like an order: a person reads it and lets it in, or not.
import { useState } from "preact/hooks";
import type { QuarantinedMemory, Reviewed } from "../../../../src/http/wire.ts";
import { useAttempt } from "../../parts/attempt.ts";
import { ago } from "../../parts/format.ts";
import { TextBox } from "../../parts/reading.tsx";
import { ProblemNote } from "../../parts/states.tsx";
import { t } from "../../state/look.ts";
import { reader } from "../../state/reader.ts";
import { tell } from "../../wire.ts";
import { shelfTurn } from "./turn.ts";

interface WaitingProps {
  readonly waiting: QuarantinedMemory;
  readonly project: string;
}

function Waiting({ waiting, project }: WaitingProps) {
  const { memory } = t.value;
  const { error, attempt } = useAttempt();
  const [isBusy, setIsBusy] = useState(false);
  const { id, name, text, reasons, at } = waiting;
  const decide = async (verdict: "approve" | "reject"): Promise<void> => {
    setIsBusy(true);
    await attempt(async () => {
      await tell<Reviewed>("/api/quarantine", { project, id, verdict });
      shelfTurn.value += 1;
    });
    setIsBusy(false);
  };
  return (
    <li class="waiting">
      <h3>
        {name} <span class="tiny faint">{ago(at, reader.value)}</span>
      </h3>
      <TextBox label={name}>{text}</TextBox>
      <ul class="bullets small muted">
        {reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      {error !== undefined && <ProblemNote error={error} />}
      <p class="verdict">
        <button type="button" class="button" disabled={isBusy} onClick={() => void decide("reject")}>
          {memory.reject}
        </button>
        <button type="button" class="button" disabled={isBusy} onClick={() => void decide("approve")}>
          {memory.approve}
        </button>
      </p>
    </li>
  );
}

export function Quarantine(props: {
  readonly waiting: readonly QuarantinedMemory[];
  readonly project: string;
}) {
  const { memory } = t.value;
  const { waiting, project } = props;
  if (waiting.length === 0) return null;
  return (
    <section class="block">
      <h2>{memory.waiting(waiting.length)}</h2>
      <p class="note">{memory.waitingHelp}</p>
      <ul>
        {waiting.map((one) => (
          <Waiting key={one.id} waiting={one} project={project} />
        ))}
      </ul>
    </section>
  );
}
