// Throughline inside Claude Code: asks the worker, within a deadline, and leaves everything as it is when no answer comes.
import type {
  AppendEvent,
  ClassicEvent,
  ClassicResult,
  CompactEvent,
  CompactResult,
  ContextEvent,
  Drawn,
  FetchEvent,
  FetchResult,
  Json,
  On,
  PromptEvent,
  RenderEvent,
  ToolCallEvent,
  ToolCallResult,
  ToolListResult,
} from "./engine.ts";
import { report, reportInTurn, reportWaiting, settled } from "./events.js";
import { carried, live, observed } from "./live.js";
import { drawn, lastCompaction } from "./screen.js";
import { callTool, listed } from "./tools.js";
import { compacted, restored, withinBudget, withoutDigest } from "./window.js";
import { ask, textIn, withDeadline } from "./worker.js";

/** The text that is injected at the beginning of a window. */
const window = { block: "" };

/**
 * A new conversation gets its injected text in the block of `prompt.context`, which the engine restores after every
 * compaction. A resumed one has the block, and gets what is new with the event.
 */
const begins = ({ source }: ClassicEvent) => source === "startup" || source === "clear";

function withContext(result: ClassicResult, context: string) {
  if (context === "") return result;
  return { ...result, additionalContext: [...(result.additionalContext ?? []), context] };
}

/** A declaration, which Claude Code looks for by its name. */
export function register(on: On): void {
  on<FetchEvent, FetchResult>(
    "http.fetch",
    { url: /^http:\/\/127\.0\.0\.1:\d+\/(?:mods|live)\/\w+$/ },
    withDeadline,
  );
  on<FetchEvent, FetchResult>(
    "http.fetch",
    { url: /\/v1\/messages(?:\/count_tokens)?(?:\?|$)/ },
    ($, e, next) => carried($, e, next),
  );
  on("turn.step", observed);
  on<ClassicEvent, ClassicResult>("classic.SessionStart", async ($, e, next) => {
    const heard = await reportWaiting($, e, next, { hasBlock: window.block !== "" });
    const context = textIn(heard.told?.context);
    if (begins(e)) window.block = context;
    if (e.source === "compact") {
      restored.text = withoutDigest(context);
      lastCompaction.kept = textIn(heard.told?.message);
    }
    return begins(e) ? heard.result : withContext(heard.result, context);
  });
  on<PromptEvent, Json>("prompt.submit", async ($, e, next) => {
    const context = textIn((await ask($, "prompt", { text: e.text }))?.context);
    return next(context === "" ? e : { ...e, context: [...(e.context ?? []), context] });
  });
  // What the prompt needs was asked for before, with the prompt itself.
  on<ClassicEvent, ClassicResult>("classic.UserPromptSubmit", ($, e, next) =>
    reportInTurn($, e, next, { isAnswered: true }),
  );
  on<ClassicEvent, ClassicResult>("classic.PostToolUse", ($, e, next) => report($, e, next));
  on<ClassicEvent, ClassicResult>("classic.PostToolUseFailure", ($, e, next) => report($, e, next));
  on<ClassicEvent, ClassicResult>("classic.Stop", ($, e, next) => reportInTurn($, e, next));
  on<ClassicEvent, ClassicResult>("classic.SubagentStop", ($, e, next) => reportInTurn($, e, next));
  on<ClassicEvent, ClassicResult>("classic.PreCompact", ($, e, next) => reportInTurn($, e, next));
  on<ClassicEvent, ClassicResult>("classic.PostCompact", ($, e, next) => reportInTurn($, e, next));
  on<ClassicEvent, ClassicResult>("classic.SessionEnd", async ($, e, next) => {
    await settled();
    return (await reportWaiting($, e, next)).result;
  });
  on<ContextEvent, ContextEvent>("prompt.context", async (_$, e, next) => {
    const result = await next(e);
    if (window.block === "") return result;
    return { ...result, blocks: [...result.blocks, { name: "throughline", text: window.block }] };
  });
  on<AppendEvent, Json>("session.append", { door: "tool-result" }, async ($, e, next) =>
    // Where requests are edited the level acts on them, and what is stored stays whole.
    next(live.isOn ? e : await withinBudget($, e)),
  );
  on<CompactEvent, CompactResult>("session.compact", ($, e, next) => compacted($, e, next));
  on<RenderEvent, Drawn>("ui.render", { component: "UserMessage" }, ($, e, next) => drawn($, e, next));
  on<ToolCallEvent, ToolCallResult>("tool.call", { tool: /^mcp__mods-throughline__/ }, ($, e) =>
    callTool($, e),
  );
  on<Json, ToolListResult>("tool.list", ($, e, next) => listed($, e, next));
}
