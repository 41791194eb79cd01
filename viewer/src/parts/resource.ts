// Something the worker is asked for: asked again when the question changes, and only the last answer counts.
import { useEffect, useState } from "preact/hooks";
import { revivals } from "../state/worker.ts";
import { WireError } from "../wire.ts";

interface Resource<T> {
  /** Of the last question that was answered: shown until the next answer is there. */
  readonly data: T | undefined;
  readonly error: WireError | undefined;
  readonly isLoading: boolean;
  reload(): void;
}

export function asProblem(error: unknown): WireError {
  if (error instanceof WireError) return error;
  return new WireError(0, { code: "page", message: error instanceof Error ? error.message : String(error) });
}

/** `question` says when to ask again; undefined asks nothing. */
export function useResource<T>(
  question: string | undefined,
  answer: (signal: AbortSignal) => Promise<T>,
): Resource<T> {
  const [state, setState] = useState<{ data?: T; error?: WireError; isLoading: boolean }>({
    isLoading: true,
  });
  const [turn, setTurn] = useState(0);
  const revival = revivals.value;
  useEffect(() => {
    if (question === undefined) return;
    const control = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    answer(control.signal).then(
      (data) => control.signal.aborted || setState({ data, isLoading: false }),
      (error) =>
        control.signal.aborted ||
        setState(({ data }) => ({
          ...(data === undefined ? {} : { data }),
          error: asProblem(error),
          isLoading: false,
        })),
    );
    return () => control.abort();
  }, [question, turn, revival]);
  return {
    data: state.data,
    error: state.error,
    isLoading: state.isLoading,
    reload: () => setTurn((n) => n + 1),
  };
}
