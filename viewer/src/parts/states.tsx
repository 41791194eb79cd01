// What a page shows when it has nothing to show: that it is coming, that it failed, that there is none yet.
import type { ComponentChildren } from "preact";
import { t } from "../state/look.ts";
import type { WireError } from "../wire.ts";

export function Bones({ lines = 8 }: { readonly lines?: number }) {
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
function asCommand(fix: string): string {
  return /^(throughline|npm) /.test(fix) && !fix.includes("`") ? `\`${fix}\`` : fix;
}

export function ProblemNote({ error, retry }: { readonly error: WireError; readonly retry?: () => void }) {
  const { problems } = t.value;
  // The banner says it already, and it passes by itself.
  if (error.code === "away") return null;
  return (
    <div class="problem" role="alert">
      <div>
        {error.message}
        {error.fix !== undefined && (
          <span class="muted">
            {" "}
            {problems.fix}: <WithCode text={asCommand(error.fix)} />
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

interface EmptyProps {
  readonly title: string;
  readonly command?: string;
  readonly children?: ComponentChildren;
}

export function Empty({ title, command, children }: EmptyProps) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      <div>{children}</div>
      {command !== undefined && <pre>{command}</pre>}
    </div>
  );
}
