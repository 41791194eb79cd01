// A row of the settings page: what it is about on one side, what can be done on the other.
import type { ComponentChildren } from "preact";
import { ProblemNote } from "../../parts/states.tsx";
import type { WireError } from "../../wire.ts";

interface RowProps {
  readonly title: string;
  readonly help: string;
  readonly error?: WireError | undefined;
  readonly children: ComponentChildren;
}

export function Row({ title, help, error, children }: RowProps) {
  return (
    <div class="setting">
      <div>
        <h3>{title}</h3>
        <p class="small muted">{help}</p>
        {error !== undefined && <ProblemNote error={error} />}
      </div>
      {children}
    </div>
  );
}
