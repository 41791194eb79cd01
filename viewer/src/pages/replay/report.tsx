// What sessions would have cost under every rule: begun by a button, read until it is done, with the three rates of looks.
import { useEffect, useState } from "preact/hooks";
import type { ReplayScope, ReplayState } from "../../../../src/http/wire.ts";
import { dollars, percent } from "../../components/format.ts";
import { Bullets, Button, WideBox } from "../../components/layout.tsx";
import { ProblemNote, toApiError } from "../../components/resource.tsx";
import { type ApiError, post } from "../../state/api.ts";
import { t } from "../../state/preferences.ts";

const POLL_MS = 700;

/** Asks until the replay is done; a new scope begins anew. */
function useReplay(scope: ReplayScope) {
  const [state, setState] = useState<ReplayState>();
  const [error, setError] = useState<ApiError>();
  const [turn, setTurn] = useState(0);
  const key = JSON.stringify(scope);
  useEffect(() => {
    setState(undefined);
    setTurn(0);
  }, [key]);
  useEffect(() => {
    if (turn === 0) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isCurrent = true;
    const ask = () =>
      post<ReplayState>("/api/replay", scope).then(
        (answer) => {
          if (!isCurrent) return;
          setState(answer);
          setError(undefined);
          if (answer.state === "running") timer = setTimeout(ask, POLL_MS);
        },
        (problem) => isCurrent && setError(toApiError(problem)),
      );
    void ask();
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [turn, key]);
  return { state, error, begin: () => setTurn((n) => n + 1), isBusy: state?.state === "running" };
}

type Row = ReplayState["totals"][number];

const share = (value: number | undefined) => (value === undefined ? "–" : percent(value));

function PolicyRow({ row, isDefault }: { readonly row: Row; readonly isDefault: boolean }) {
  const { never, half, always } = row.lookedAt;
  return (
    <tr class={isDefault ? "chosen" : undefined} data-policy={row.policy}>
      <th scope="row">
        {row.policy} <span class="tiny faint">{t.replay.kinds[row.kind]}</span>
      </th>
      {[never, half, always].map((one, at) => (
        <td key={at} class="end num">
          {share(one.ratio)}
        </td>
      ))}
      <td class="end num">{share(row.billRatio)}</td>
      <td class="end num">{dollars(row.dollars)}</td>
      <td class="end num">{row.compactions}</td>
      <td class="end num">{share(row.retention)}</td>
      <td class="wide">
        <span class="bar-track" aria-hidden="true">
          <span class="bar-fill" style={{ width: `${Math.min(100, (half.ratio ?? 0) * 100)}%` }} />
        </span>
      </td>
    </tr>
  );
}

/** By cost at half of the looks, the cheapest first. */
function Totals({ totals, assumptions, ttl, pricesAsOf }: ReplayState) {
  const { replay } = t;
  const rows = totals.toSorted((a, b) => (a.ratio ?? 1) - (b.ratio ?? 1));
  return (
    <>
      <WideBox label={replay.title}>
        <table class="table replay-table">
          <thead>
            <tr>
              {replay.heads.map((head, at) => (
                <th key={head} scope="col" class={at > 0 ? "end" : undefined}>
                  {head}
                </th>
              ))}
              <td />
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <PolicyRow key={row.policy} row={row} isDefault={row.policy === "thrifty"} />
            ))}
          </tbody>
        </table>
      </WideBox>
      <details class="small">
        <summary>{replay.assumed(pricesAsOf, ttl)}</summary>
        <Bullets of={assumptions} />
      </details>
    </>
  );
}

function Outcome({ state }: { readonly state: ReplayState }) {
  const { replay } = t;
  const { totals, leftOut, sessions, done, problem } = state;
  return (
    <div>
      <p class="small muted num" role="status">
        {state.state === "running" ? replay.running(done, sessions) : replay.done(totals[0]?.sessions ?? 0)}
      </p>
      {problem && <p class="problem">{problem}</p>}
      {totals.length > 0 && <Totals {...state} />}
      {leftOut.length > 0 && (
        <details class="small">
          <summary>{replay.leftOut(leftOut.length)}</summary>
          <Bullets of={leftOut.map(({ session, reason }) => `${session}: ${reason}`)} />
        </details>
      )}
    </div>
  );
}

export function ReplayReport({ scope }: { readonly scope: ReplayScope }) {
  const { replay } = t;
  const { state, error, begin, isBusy } = useReplay(scope);
  return (
    <>
      <p class="small muted">{replay.help}</p>
      <p>
        <Button disabled={isBusy} onClick={begin}>
          {isBusy ? replay.busy : replay.begin}
        </Button>
      </p>
      <ProblemNote error={error} />
      {state && <Outcome state={state} />}
    </>
  );
}
