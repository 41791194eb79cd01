// A turn as one row, everywhere the same: prompt, outcome, type, files, calls, duration, tokens, cost; and what is below it when open.
import type { ComponentChildren } from "preact";
import { clockTime, compactCount, dateTime, dollars, duration } from "../components/format.ts";
import { Icon, iconOf } from "../components/icon.tsx";
import { Button, LineButton, Time } from "../components/layout.tsx";
import { projectName } from "../state/api.ts";
import { kindName, t } from "../state/preferences.ts";
import type { TurnEntry } from "./entries.ts";
import { toggle } from "./opened.ts";
import { CallTexts, StepLine } from "./stepLine.tsx";
import type { Turn } from "./turns.ts";

function Figures({ files, figures }: Pick<Turn, "files" | "figures">) {
  const { trace } = t;
  const [file] = files;
  const { calls = 0, failed = 0, ms, inputTokens = 0, outputTokens = 0, dollars: cost } = figures ?? {};
  const tokens = inputTokens + outputTokens;
  const cell = (name: string, title: string, value: ComponentChildren) => (
    <span class={`figure-cell ${name}`} title={title}>
      {value}
    </span>
  );
  return (
    <>
      {cell(
        "files clip mono",
        files.join("\n"),
        file && `${file.split("/").at(-1)}${files.length > 1 ? ` +${files.length - 1}` : ""}`,
      )}
      {cell(
        failed > 0 ? "calls failing" : "calls",
        trace.callsTitle(calls, failed),
        figures && calls > 0 && (failed > 0 ? `${calls} · ${failed} ✗` : calls),
      )}
      {cell("ms", trace.durationTitle, figures && ms !== undefined && duration(ms))}
      {cell("tokens", trace.tokensTitle, figures && tokens > 0 && compactCount(tokens))}
      {cell("cost", trace.costTitle, cost !== undefined && dollars(cost))}
    </>
  );
}

interface TurnLineProps {
  readonly turn: Turn;
  readonly isOpen: boolean;
  /** Where the list does not say the day, or the project. */
  readonly withDate?: boolean;
  readonly withProject?: boolean;
}

function TurnLine({ turn, isOpen, withDate, withProject }: TurnLineProps) {
  const { key, type, prompt, outcome, found, figures } = turn;
  const name = type === undefined ? t.kinds.prompt : kindName("observation", type);
  const isRunning = figures !== undefined && figures.ended === undefined;
  const below = outcome ?? (isRunning ? t.trace.running : "");
  return (
    <Button
      class={`turn-line${isOpen ? " open" : ""}`}
      data-line
      data-ref={key}
      aria-expanded={isOpen}
      onClick={() => toggle("turn", key)}
    >
      <span class={`badge ${type ?? ""}`} title={name}>
        <Icon name={iconOf(type === undefined ? "prompt" : "observation", type)} />
        <span class="hidden">{name}</span>
      </span>
      <span class="words">
        <span class="clip asked">{prompt || outcome || found[0]?.title}</span>
        <span class="clip outcome">
          {withProject && <span class="project">{projectName(turn.project)}</span>}
          {prompt === "" ? found[0]?.subtitle : below}
          {figures?.ended === "stopped" && <span class="tag warn">{t.trace.stopped}</span>}
        </span>
      </span>
      <span class="figures-row num">
        <Figures files={turn.files} {...(figures && { figures })} />
        <span class="figure-cell at">
          <Time at={turn.at} as={withDate ? dateTime : clockTime} />
        </span>
      </span>
    </Button>
  );
}

function FoundLine({ entry: { row } }: { readonly entry: Extract<TurnEntry, { kind: "found" }> }) {
  const { ref, kind, type, title, subtitle } = row;
  const name = kindName(kind, type);
  return (
    <LineButton name="item" id={ref} class="line row-line">
      <span class="sign" title={name}>
        <Icon name={iconOf(kind, type)} />
        <span class="hidden">{name}</span>
      </span>
      <span class="clip">
        {title}
        {subtitle && <span class="sub">{subtitle}</span>}
      </span>
      <span class="side">
        <Time at={row.at} as={clockTime} />
      </span>
    </LineButton>
  );
}

/** Any line of a list of turns. */
export function TurnEntryLine({ entry, ...about }: { entry: TurnEntry } & Partial<TurnLineProps>) {
  switch (entry.kind) {
    case "turn":
      return <TurnLine {...about} turn={entry.turn} isOpen={entry.isOpen} />;
    case "found":
      return <FoundLine entry={entry} />;
    case "step":
      return <StepLine session={entry.turn.session} span={entry.span} step={entry.step} />;
    case "call":
      return <CallTexts session={entry.session} id={entry.id} />;
    case "note":
      return entry.note === "end" ? (
        <span class="turn-end" />
      ) : (
        <p class="step-note faint small" role="status">
          {entry.note === "loading" ? t.loading : t.trace.gone}
        </p>
      );
  }
}
