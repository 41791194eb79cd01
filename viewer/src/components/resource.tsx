// Loads data from the worker and shows its state: a skeleton while there is none, the data, or the problem.
import { Component, type ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError, getJson, type Query, reconnects } from "../state/api.ts";
import { t } from "../state/preferences.ts";
import { Button } from "./layout.tsx";

export function toApiError(error: unknown) {
  if (error instanceof ApiError) return error;
  return new ApiError(0, { code: "page", message: error instanceof Error ? error.message : String(error) });
}

/**
 * Runs `load` when one of `causes` changes, when the worker is back and on `reload`; an older run is aborted.
 * The error stays until a run succeeds.
 */
export function useLoading(load: (signal: AbortSignal) => Promise<unknown>, causes: readonly unknown[]) {
  const [isLoading, setIsLoading] = useState(true);
  const [error, setError] = useState<ApiError>();
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const control = new AbortController();
    const finish = (problem?: ApiError) => {
      if (control.signal.aborted) return;
      setError(problem);
      setIsLoading(false);
    };
    setIsLoading(true);
    load(control.signal).then(
      () => finish(),
      (problem) => finish(toApiError(problem)),
    );
    return () => control.abort();
  }, [...causes, turn, reconnects.value]);
  return { isLoading, error, setError, reload: () => setTurn((n) => n + 1) };
}

type Loading = Pick<ReturnType<typeof useLoading>, "isLoading" | "error" | "reload">;

/** The answer to a GET request, kept until the next one is there. Sends nothing while there is no query. */
export function useResource<T>(path: string, query: Query | undefined, version = 0) {
  const [data, setData] = useState<T>();
  const loading = useLoading(
    async (signal) => {
      if (!query) return;
      const answer = await getJson<T>(path, query, signal);
      if (!signal.aborted) setData(() => answer);
    },
    [JSON.stringify(query), version],
  );
  return { ...loading, data };
}

interface LoadedProps<T> {
  readonly from: Pick<Loading, "error" | "reload"> & { readonly data: T | undefined };
  readonly children: (data: T) => ComponentChildren;
}

export function Loaded<T>({ from: { data, error, reload }, children }: LoadedProps<T>) {
  return (
    <>
      <ProblemNote error={error} retry={reload} />
      {data !== undefined ? children(data) : error === undefined && <LoadingSkeleton />}
    </>
  );
}

interface LoadedListProps {
  readonly from: Loading;
  /** Shown in place of a list without rows. */
  readonly empty: ComponentChildren;
  /** The list; false while it has no rows. */
  readonly children: ComponentChildren;
}

export function LoadedList({ from: { isLoading, error, reload }, empty, children }: LoadedListProps) {
  return (
    <>
      <ProblemNote error={error} retry={reload} />
      {children || (isLoading ? <LoadingSkeleton /> : error === undefined && empty)}
    </>
  );
}

/** An action that may fail, such as a change sent to the worker. Its error stays until the next run ends. */
export function useAction<A extends readonly unknown[], T>(work: (...args: A) => Promise<T>) {
  const [state, setState] = useState<{ result?: T; error?: ApiError; isBusy: boolean }>({ isBusy: false });
  const run = (...args: A) => {
    setState((before) => ({ ...before, isBusy: true }));
    work(...args).then(
      (result) => setState({ result, isBusy: false }),
      (problem) => setState({ error: toApiError(problem), isBusy: false }),
    );
  };
  return { ...state, run };
}

export function LoadingSkeleton() {
  return (
    <div class="bones" role="status" aria-label={t.loading}>
      {Array.from({ length: 8 }, (_, at) => (
        <div key={at} class={at % 3 === 2 ? "bone short" : "bone"} />
      ))}
    </div>
  );
}

/** Shows text between backticks as code. */
export function WithCode({ text }: { readonly text: string }) {
  return <>{text.split("`").map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>;
}

/** Puts backticks around a fix that is nothing but a command, which its first word tells. */
function quoteCommand(fix: string) {
  return /^(throughline|npm) /.test(fix) && !fix.includes("`") ? `\`${fix}\`` : fix;
}

interface ProblemProps {
  readonly error: ApiError | undefined;
  readonly retry?: () => void;
}

export function ProblemNote({ error, retry }: ProblemProps) {
  // The banner already shows a worker that is away, and the page recovers by itself.
  if (!error || error.problem.code === "away") return null;
  return (
    <div class="problem" role="alert">
      <div>
        {error.message}
        {error.problem.fix && (
          <span class="muted">
            {" "}
            {t.problems.fix}: <WithCode text={quoteCommand(error.problem.fix)} />
          </span>
        )}
      </div>
      {retry && <Button onClick={retry}>{t.problems.retry}</Button>}
    </div>
  );
}

/** Shows the error of a page that failed to render, inside the shell, which goes on working. */
export class ErrorBoundary extends Component<{ children: ComponentChildren }, { error?: ApiError }> {
  static override getDerivedStateFromError(error: unknown) {
    return { error: toApiError(error) };
  }

  override componentDidCatch(error: unknown) {
    console.error(error);
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <div class="page">
        <ProblemNote error={error} retry={() => location.reload()} />
      </div>
    );
  }
}
