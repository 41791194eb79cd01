// Two requests of a session compared, and what its next compaction would leave: both below the changes of the window.
import type { CompactionPreview, WindowComparison, WindowView } from "../../../../src/http/wire.ts";
import { compactCount, percent } from "../../components/format.ts";
import { Button, onValue, PageSection, TextBox } from "../../components/layout.tsx";
import { Loaded, ProblemNote, useAction, useResource } from "../../components/resource.tsx";
import { getJson } from "../../state/api.ts";
import { t } from "../../state/preferences.ts";
import { getFilter, setFilters } from "../../state/route.ts";
import { requestOf, totalTokens } from "./stack.ts";

type Shown = WindowComparison["left"];

interface SideProps {
  readonly title: string;
  readonly sign: "−" | "+" | "";
  readonly shown: Shown;
}

function Side({ title, sign, shown: { texts, leftOut } }: SideProps) {
  if (texts.length === 0) return null;
  return (
    <details
      class={`diff-side ${sign === "−" ? "gone" : sign === "+" ? "new" : ""}`}
      open={texts.length <= 3}
    >
      <summary>
        {sign && <span class="diff-sign">{sign}</span>} {title}{" "}
        <span class="faint num">{texts.length + leftOut}</span>
      </summary>
      {texts.map(({ speaker, text, cut }, at) => (
        <div key={`${at} ${speaker}`}>
          <p class="tiny faint">{speaker}</p>
          <TextBox label={`${title}: ${speaker}`}>
            {text}
            {cut > 0 && <span class="faint">{`\n${t.window.cut(compactCount(cut))}`}</span>}
          </TextBox>
        </div>
      ))}
      {leftOut > 0 && <p class="note">{t.window.leftOut(leftOut)}</p>}
    </details>
  );
}

function Differences({ from, to, same, left, came, changed }: WindowComparison) {
  const { window } = t;
  const sides = [
    ["−", window.leftWindow, left],
    ["+", window.cameIn, came],
    ["−", window.changedBefore, changed.before],
    ["+", window.changedAfter, changed.after],
  ] as const;
  return (
    <>
      <p class="num">
        {compactCount(from.tokens)} → {compactCount(to.tokens)} ·{" "}
        <span class="muted">{window.sameTexts(same)}</span>
      </p>
      {sides.map(([sign, title, shown]) => (
        <Side key={title} title={title} sign={sign} shown={shown} />
      ))}
    </>
  );
}

/** The last request before the largest drop of the window and the one after it: what a reader wants to see first. */
function usualPair({ points }: WindowView): readonly [number, number] {
  const drops = points.map((point, at) => totalTokens(points[at - 1] ?? point) - totalTokens(point));
  const most = Math.max(0, ...drops);
  const at = most > 0 ? drops.indexOf(most) : points.length - 1;
  return [requestOf(points, Math.max(0, at - 1)), requestOf(points, at)];
}

/** Requests are numbered from 1 on the page and in the address. */
export function CompareRequests({ view }: { readonly view: WindowView }) {
  const { window } = t;
  const { points, session } = view;
  const last = requestOf(points, points.length - 1);
  const numbers = (["a", "b"] as const).map((name, at) => {
    const given = Number(getFilter(name));
    return given >= 1 && given <= last + 1 ? given - 1 : (usualPair(view)[at] ?? 0);
  });
  const [from, to] = numbers;
  const isAsked = getFilter("a") !== "" || getFilter("b") !== "";
  const comparison = useResource<WindowComparison>(
    "/api/window/compare",
    isAsked ? { session, from, to } : undefined,
  );
  const field = (name: "a" | "b", at: number) => (
    <label>
      {name === "a" ? window.firstRequest : window.secondRequest}{" "}
      <input
        class="field number"
        type="number"
        min={1}
        max={last + 1}
        value={(numbers[at] ?? 0) + 1}
        onChange={onValue((text) => setFilters({ [name]: text }, "replace"))}
      />
    </label>
  );
  if (points.length < 2) return null;
  return (
    <PageSection title={window.compare}>
      <form
        class="compare-form"
        onSubmit={(event) => {
          event.preventDefault();
          setFilters({ a: String((from ?? 0) + 1), b: String((to ?? 0) + 1) }, "replace");
        }}
      >
        {field("a", 0)}
        {field("b", 1)}
        <button type="submit" class="button">
          {window.compareNow}
        </button>
      </form>
      {isAsked && <Loaded from={comparison}>{(found) => <Differences {...found} />}</Loaded>}
    </PageSection>
  );
}

interface PreviewProps {
  readonly session: string;
  /** How events of the session arrived: the hooks alone leave compactions to the agent. */
  readonly lanes: readonly string[];
}

export function NextCompaction({ session, lanes }: PreviewProps) {
  const { window } = t;
  const { result, error, isBusy, run } = useAction(() =>
    getJson<CompactionPreview>("/api/window/preview", { session }),
  );
  return (
    <PageSection title={window.preview}>
      <p class="small muted">
        {lanes.some((lane) => lane !== "hooks") ? window.previewHelp : window.previewByAgent}
      </p>
      <p>
        <Button disabled={isBusy} onClick={run}>
          {isBusy ? window.previewing : window.previewNow}
        </Button>
      </p>
      <ProblemNote error={error} />
      {result && (
        <div role="status">
          <p class="num saved">
            {compactCount(result.before)} → {compactCount(result.after)}
            {result.before > result.after && (
              <strong>
                {" "}
                {window.saved(
                  compactCount(result.before - result.after),
                  percent(1 - result.after / result.before),
                )}
              </strong>
            )}{" "}
            · {window.keptMessages(result.kept, result.messages)}
          </p>
          {result.summary.length === 0 && <p class="note">{window.previewSmall}</p>}
          {result.summary.map((text, at) => (
            <TextBox key={at} label={window.previewText}>
              {text}
            </TextBox>
          ))}
        </div>
      )}
    </PageSection>
  );
}
