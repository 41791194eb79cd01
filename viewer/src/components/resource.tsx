// Asks the worker and shows what came of it: an answer, bones while there is none, or the problem.
import { Component, type ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError, getJson, type Query, reconnects } from "../state/api.ts";
import { t } from "../state/preferences.ts";

interface Resource<T> {
  /** Of the last question that was answered: shown until the next answer is there. */
  readonly data?: T;
  readonly error?: ApiError;
  readonly isLoading: boolean;
  reload(): void;
}

export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(0, { code: "page", message: error instanceof Error ? error.message : String(error) });
}

/** Asks again when the question or `round` changes or the worker is back; only the last answer counts. No query asks nothing. */
export function useResource<T>(path: string, query: Query | undefined, round = 0): Resource<T> {
  const [state, setState] = useState<Omit<Resource<T>, "reload">>({ isLoading: true });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (query === undefined) return;
    const control = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    getJson<T>(path, query, control.signal).then(
      (data) => control.signal.aborted || setState({ data, isLoading: false }),
      (error) =>
        control.signal.aborted ||
        setState((before) => ({ ...before, error: toApiError(error), isLoading: false })),
    );
    return () => control.abort();
  }, [JSON.stringify(query), round, turn, reconnects.value]);
  return { ...state, reload: () => setTurn((n) => n + 1) };
}

interface LoadedProps<T> {
  readonly from: Resource<T>;
  readonly lines?: number;
  readonly children: (data: T) => ComponentChildren;
}

export function Loaded<T>({ from: { data, error, reload }, lines, children }: LoadedProps<T>) {
  return (
    <>
      <ProblemNote error={error} retry={reload} />
      {data !== undefined ? children(data) : error === undefined && <Skeleton lines={lines} />}
    </>
  );
}

interface Attempt<T> {
  readonly result?: T;
  /** Stays until an attempt succeeds. */
  readonly error?: ApiError;
  readonly isBusy: boolean;
}

/** Something the page does that may be refused. */
export function useAction<T>() {
  const [state, setState] = useState<Attempt<T>>({ isBusy: false });
  const attempt = (work: () => Promise<T>) => {
    setState((before) => ({ ...before, isBusy: true }));
    work().then(
      (result) => setState({ result, isBusy: false }),
      (problem) => setState({ error: toApiError(problem), isBusy: false }),
    );
  };
  return { ...state, attempt };
}

export function Skeleton({ lines = 8 }: { readonly lines?: number | undefined }) {
  return (
    <div class="bones" role="status" aria-label={t.value.loading}>
      {Array.from({ length: lines }, (_, at) => (
        <div key={at} class={at % 3 === 2 ? "bone short" : "bone"} />
      ))}
    </div>
  );
}

/** What stands between backticks is to be typed. */
export function WithCode({ text }: { readonly text: string }) {
  return <>{text.split("`").map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>;
}

/** A fix that is nothing but a command says so by its first word. */
function quoteCommand(fix: string) {
  return /^(throughline|npm) /.test(fix) && !fix.includes("`") ? `\`${fix}\`` : fix;
}

interface ProblemProps {
  readonly error: ApiError | undefined;
  readonly retry?: () => void;
}

export function ProblemNote({ error, retry }: ProblemProps) {
  const { problems } = t.value;
  // A worker that is away is in the banner already, and it passes by itself.
  if (error === undefined || error.code === "away") return null;
  return (
    <div class="problem" role="alert">
      <div>
        {error.message}
        {error.fix !== undefined && (
          <span class="muted">
            {" "}
            {problems.fix}: <WithCode text={quoteCommand(error.fix)} />
          </span>
        )}
      </div>
      {retry !== undefined && (
        <button type="button" class="button" onClick={retry}>
          {problems.retry}
        </button>
      )}
    </div>
  );
}

/** When a page breaks, the shell stays and says so. */
export class ErrorBoundary extends Component<{ children: ComponentChildren }, { problem?: ApiError }> {
  static override getDerivedStateFromError(error: unknown) {
    return { problem: toApiError(error) };
  }

  override componentDidCatch(error: unknown): void {
    console.error(error);
  }

  override render() {
    const { problem } = this.state;
    if (problem === undefined) return this.props.children;
    return (
      <div class="page">
        <ProblemNote error={problem} retry={() => location.reload()} />
      </div>
    );
  }
}
