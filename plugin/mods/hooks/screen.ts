// What of a compaction is drawn: Claude Code draws a row that a mod gives it as if the person had typed it.
import type { Drawn, Engine, Next, RenderEvent } from "./engine.ts";

/** What the worker says about the last compaction, for the person: what was kept, and what was saved. */
export const lastCompaction = { kept: "", saved: "" };

const SUMMARY =
  /^This session is being continued from a previous conversation[\s\S]*\brecall (tl:[0-9a-f]{12})/;
const ANNOUNCEMENT = /^<system-reminder>[\s\S]*<\/system-reminder>\s*$/;

function lineFor(handle: string) {
  const { kept, saved } = lastCompaction;
  return [kept === "" ? `Throughline kept what was here · recall ${handle}` : kept, saved]
    .filter((part) => part !== "")
    .join(" · ");
}

/** Hooked into the drawing of the person's messages: our summary is one line, and what it brings along none. */
export async function drawn($: Engine, e: RenderEvent, next: Next<RenderEvent, Drawn>): Promise<Drawn> {
  const { text, isExpanded } = e.props;
  // ctrl+o shows all of it.
  if (isExpanded) return next(e);
  const handle = SUMMARY.exec(text)?.[1];
  if (handle === undefined && !ANNOUNCEMENT.test(text)) return next(e);
  const { Box, Text } = $.ui.resolve(e);
  return handle === undefined ? Box({}) : Text({ dimColor: true, children: `  ${lineFor(handle)}` });
}
