// Something the page does that may be refused: the refusal stays until an attempt succeeds.
import { useState } from "preact/hooks";
import type { WireError } from "../wire.ts";
import { asProblem } from "./resource.ts";

interface Attempts {
  readonly error: WireError | undefined;
  attempt(work: () => Promise<unknown>): Promise<void>;
}

export function useAttempt(): Attempts {
  const [error, setError] = useState<WireError>();
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
      setError(undefined);
    } catch (problem) {
      setError(asProblem(problem));
    }
  };
  return { error, attempt };
}
