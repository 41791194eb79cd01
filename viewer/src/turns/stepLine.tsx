// One step of a trace: what was done, when it began within its turn and how long it took.
import { signal } from "@preact/signals";
import type { CallDetail, CallStep, RequestStep } from "../../../src/http/wire.ts";
import { compactCount, dollars, duration } from "../components/format.ts";
import { Button, TextBox } from "../components/layout.tsx";
import { Loaded, useResource } from "../components/resource.tsx";
import { t, textFor } from "../state/preferences.ts";
import { addressOf, getFilter, route, setFilters } from "../state/route.ts";
import type { EditBatch, ShownStep, TimeSpan } from "./entries.ts";
import { openCalls, toggle } from "./opened.ts";

/** The request that the pointer is at, in the trace or in the chart: its session and its number from 0. */
export const pointed = signal<{ readonly session: string; readonly point: number }>();

interface BarProps {
  readonly span: TimeSpan;
  readonly at: string;
  readonly ms: number;
  readonly class: string;
  /** Time at the beginning that was spent thinking. */
  readonly thinking?: number;
}

const MILLI_PERCENT = 1e5;

function Bar({ span, at, ms, class: look, thinking = 0 }: BarProps) {
  const share = (value: number) => Math.round((value / span.ms) * MILLI_PERCENT) / 1_000;
  const left = Math.min(100, Math.max(0, share(Date.parse(at) - span.start)));
  const width = Math.min(100 - left, share(ms));
  return (
    <span class="track" aria-hidden="true">
      <span class={`time-bar ${look}`} style={{ left: `${left}%`, width: `max(2px, ${width}%)` }}>
        {thinking > 0 && (
          <span class="thinking" style={{ width: `${Math.min(100, (100 * thinking) / ms)}%` }} />
        )}
      </span>
    </span>
  );
}

function RequestLine({ step, span, session }: LineProps & { readonly step: RequestStep }) {
  const { trace } = t;
  const { point, ms = 0, thinkingMs, inputTokens, cachedTokens, outputTokens, says } = step;
  const isPointed = pointed.value?.session === session && pointed.value.point === point;
  const cached = inputTokens > 0 ? cachedTokens / inputTokens : 0;
  const cost = step.dollars === undefined ? "" : ` · ${dollars(step.dollars)}`;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pointing only highlights the same request in the chart.
    <div
      class={isPointed ? "step request pointed" : "step request"}
      data-point={point}
      onMouseEnter={() => {
        pointed.value = { session, point };
      }}
      onMouseLeave={() => {
        pointed.value = undefined;
      }}
    >
      <span class="what clip">
        <span class="tool">{trace.request(point + 1)}</span>{" "}
        <span class="faint num">
          {trace.tokens(compactCount(inputTokens), compactCount(outputTokens), Math.round(cached * 100))}
          {cost}
        </span>{" "}
        {says && <q class="says">{says}</q>}
      </span>
      <Bar
        {...{ span, ms }}
        at={step.at}
        class="model"
        {...(thinkingMs !== undefined && { thinking: thinkingMs })}
      />
      <span
        class="took num"
        title={thinkingMs === undefined ? undefined : trace.thinking(duration(thinkingMs))}
      >
        {duration(ms)}
      </span>
    </div>
  );
}

function CallLine({ step, span }: LineProps & { readonly step: CallStep }) {
  const { id, tool, line, outcome, depth, ms } = step;
  const isOpen = openCalls().has(id);
  const shown = line.startsWith(`${tool} `) ? line.slice(tool.length + 1) : line;
  return (
    <Button
      class={`step call ${outcome}${isOpen ? " open" : ""}`}
      data-line
      data-ref={id}
      aria-expanded={isOpen}
      onClick={() => toggle("call", id)}
    >
      <span class="what clip" style={{ paddingLeft: `${depth * 1.1}rem` }}>
        <span class="tool">{tool.replace(/^mcp__(?:plugin_)?/, "")}</span>{" "}
        {outcome !== "ok" && (
          <span class={`tag ${outcome === "failed" ? "bad" : ""}`}>{t.trace.outcomes[outcome]}</span>
        )}{" "}
        <span class="mono">{shown}</span>
      </span>
      <Bar span={span} at={step.at} ms={ms ?? 0} class={outcome} />
      <span class="took num">{ms === undefined ? "–" : duration(ms)}</span>
    </Button>
  );
}

function EditsLine({ step: { edits }, session }: LineProps & { readonly step: EditBatch }) {
  const [{ event }] = edits;
  const { window } = t;
  const name = event.kind === "edit" ? textFor(window.levels, event.level) : window.kinds[event.kind];
  const saved = edits.reduce((sum, one) => sum + one.event.before - one.event.after, 0);
  const isOpen = edits.some(({ id }) => id === getFilter("event"));
  const open = () => {
    const isHere = route.value.page === "session" && route.value.id === session;
    if (isHere) setFilters({ event: isOpen ? "" : event.id, item: "" });
    else location.hash = addressOf({ page: "session", id: session, filters: { event: event.id } });
  };
  return (
    <Button class={isOpen ? "step edit open" : "step edit"} data-line data-ref={event.id} onClick={open}>
      <span class="what clip">
        <span class={`diamond ${event.kind}`} /> <strong>{name}</strong>
        {edits.length > 1 && <span class="num"> ×{edits.length}</span>} <span class="faint">{event.why}</span>
      </span>
      <span class="track" />
      <span class="took num">{saved > 0 && `−${compactCount(saved)}`}</span>
    </Button>
  );
}

interface LineProps {
  readonly session: string;
  readonly span: TimeSpan;
}

export function StepLine({ step, ...rest }: LineProps & { readonly step: ShownStep }) {
  if (step.kind === "request") return <RequestLine step={step} {...rest} />;
  if (step.kind === "call") return <CallLine step={step} {...rest} />;
  return <EditsLine step={step} {...rest} />;
}

/** Input and output of a call, side by side. */
export function CallTexts({ session, id }: { readonly session: string; readonly id: string }) {
  const resource = useResource<CallDetail>("/api/trace/call", { session, call: id });
  const { trace, window } = t;
  return (
    <div class="call-texts">
      <Loaded from={resource}>
        {({ input, output, tool }) =>
          (
            [
              [trace.input, input],
              [trace.output, output],
            ] as const
          ).map(([name, { text, cut }]) => (
            <div key={name} class="call-text">
              <h4>{name}</h4>
              <TextBox label={`${tool}: ${name}`}>
                {text === "" ? window.nothingThere : text}
                {cut > 0 && `\n${window.cut(compactCount(cut))}`}
              </TextBox>
            </div>
          ))
        }
      </Loaded>
    </div>
  );
}
