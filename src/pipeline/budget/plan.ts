// Level 1, the tool result budget: decided when a result is first sent, and never again.

import { expectedGain, lookRate } from "../../economics/index.ts";
import type { LedgerEntry } from "../../ledger/index.ts";
import { sumOf } from "../../lib/index.ts";
import {
  type Block,
  blocksOf,
  type History,
  isText,
  type ToolUseBlock,
  textOf,
} from "../../messages/index.ts";
import { headReference, isPersisted, rereadOf, type ShownText, typedReference } from "../../preview/index.ts";
import { estimateText } from "../../tokens/index.ts";
import { nameOf } from "../../vault/index.ts";
import {
  lastAssistantIn,
  type PlanContext,
  type PlannedEdit,
  replacedTokens,
  wholeResult,
} from "../planContext.ts";
import { matchesTool } from "../settings.ts";

type ShowingContext = Pick<
  PlanContext,
  "settings" | "pinned" | "broughtBack" | "view" | "fileOf" | "model" | "looks" | "requestTokens"
>;

/** What of a request's context the budget goes by. */
export type BudgetContext = ShowingContext & { readonly outlook: Pick<PlanContext["outlook"], "ttl"> };

/** A result that is about to be sent for the first time. */
export interface FreshResult {
  readonly item: History[number];
  readonly toolUseId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly content: unknown;
  readonly text: string;
  readonly isError: boolean;
}

/** A result with what will be shown of it. */
interface ShownResult {
  readonly result: FreshResult;
  readonly text: string;
  readonly why: string;
}

/** `alongside` are the edits of old content that are made with this request: what they take away is not in view. */
export function planBudget(context: PlanContext, alongside: readonly PlannedEdit[]): PlannedEdit[] {
  const fresh = freshResults(context.view);
  if (fresh.length === 0) return [];
  // Results of the same request may yet become references: nothing points at them.
  const gone = new Set([...leavingWith(alongside), ...fresh.map(({ toolUseId }) => toolUseId)]);
  const decided = fresh.map((result) => decideShown(result, context, gone));
  return withinMessageLimit(decided, context)
    .filter(({ result, text }) => text !== result.text)
    .map((shown) => planned(shown, context));
}

/** Results behind the last assistant message: everything before it was sent already. */
function freshResults(view: History) {
  const lastAssistant = lastAssistantIn(view);
  if (lastAssistant < 0) return [];
  const calls = callsBefore(view, lastAssistant);
  return view.slice(lastAssistant + 1).flatMap((item) =>
    blocksOf(item.message).flatMap((block): FreshResult[] => {
      if (block.type !== "tool_result" || typeof block.tool_use_id !== "string") return [];
      const call = calls.get(block.tool_use_id);
      return [
        {
          item,
          toolUseId: block.tool_use_id,
          tool: call?.name ?? "",
          input: call?.input,
          content: block.content,
          text: textOf(block.content),
          isError: block.is_error === true,
        },
      ];
    }),
  );
}

function callsBefore(view: History, last: number) {
  const calls = new Map<string, ToolUseBlock>();
  for (let at = last; view[at]?.message.role === "assistant"; at--) {
    for (const block of blocksOf(view[at]?.message ?? { role: "assistant", content: [] })) {
      if (block.type === "tool_use") calls.set(String(block.id), block as ToolUseBlock);
    }
  }
  return calls;
}

function isFixed({ tool, text, item, toolUseId }: FreshResult, context: ShowingContext) {
  if (context.pinned.has(item.id) || context.broughtBack.has(toolUseId)) return true;
  return isPersisted(text) || matchesTool(context.settings.budget.exempt, tool);
}

/** Names of the calls and items that the edits take out of the window. */
function leavingWith(edits: readonly PlannedEdit[]) {
  return new Set(
    edits.flatMap(({ edit }) => {
      if (edit.kind === "replace-result") return [edit.toolUseId];
      return edit.kind === "remove-turn" ? edit.items : [];
    }),
  );
}

/** What is shown of a result by itself. `gone` are the calls and items that are not in view any more. */
export function decideShown(result: FreshResult, context: BudgetContext, gone: ReadonlySet<string>) {
  const { budget } = context.settings;
  if (isFixed(result, context)) return { result, text: result.text, why: "" };
  const again = budget.rereads && !result.isError ? reread(result, context, gone) : undefined;
  const candidate = again ?? { result, text: result.text, why: "" };
  const limit = result.isError ? budget.errorLimit : (budget.toolLimits[result.tool] ?? budget.resultLimit);
  if (candidate.text.length <= limit) return candidate;
  const why = `${result.text.length} characters, over the limit of ${limit}`;
  const cut = referred(candidate, context, why);
  return cut === candidate || pays(cut, candidate, context) ? cut : candidate;
}

/** Whether a cut is expected to save more than the looks at it cost; `seed` goes by size alone. */
function pays(cut: ShownResult, candidate: ShownResult, context: BudgetContext) {
  const { settings, model, outlook, looks } = context;
  if (settings.budget.stays === 0) return true;
  const tokens = (text: string) => estimateText(text, model.tokenizer);
  const proposal = {
    whole: tokens(candidate.text),
    shown: tokens(cut.text),
    prompt: context.requestTokens(),
    looks: lookRate(looks, cut.result.tool),
    stays: settings.budget.stays,
  };
  return expectedGain(proposal, model, outlook.ttl) > 0;
}

/** The result as a reference, unless that would hardly be shorter than what would be shown otherwise. */
function referred(candidate: ShownResult, context: ShowingContext, why: string) {
  const { result } = candidate;
  const { budget } = context.settings;
  const file = context.fileOf(result.toolUseId);
  const { handle } = nameOf(result.text);
  const text =
    budget.previewStyle === "head"
      ? headReference(result.text, file, budget.preview, handle)
      : typedReference({
          tool: result.tool,
          text: result.text,
          file,
          handle,
          previewCharacters: budget.preview,
        });
  return text.length < candidate.text.length * 0.8 ? { result, text, why } : candidate;
}

/** When all results of the message are too much together, the largest go first. */
function withinMessageLimit(shown: readonly ShownResult[], context: ShowingContext): readonly ShownResult[] {
  const { messageLimit } = context.settings.budget;
  const out = [...shown];
  const tried = new Set<ShownResult>();
  for (;;) {
    const total = sumOf(out, ({ text }) => text.length);
    if (total <= messageLimit) return out;
    const largest = out
      .filter((one) => !tried.has(one) && !isPersisted(one.text) && !isFixed(one.result, context))
      .reduce<ShownResult | undefined>((a, b) => (a && a.text.length >= b.text.length ? a : b), undefined);
    if (!largest) return out;
    const smaller = referred(
      largest,
      context,
      `${total} characters in one message, over the limit of ${messageLimit}`,
    );
    tried.add(smaller);
    out[out.indexOf(largest)] = smaller;
  }
}

const fileFields = ["file_path", "notebook_path", "path"];

function fileInInput(input: unknown) {
  if (typeof input !== "object" || input === null) return undefined;
  const fields = input as Record<string, unknown>;
  return fileFields.map((field) => fields[field]).find((value) => typeof value === "string");
}

const readers = ["Read", "NotebookRead", "read", "view"];

function reread(
  result: FreshResult,
  context: ShowingContext,
  gone: ReadonlySet<string>,
): ShownResult | undefined {
  const file = fileInInput(result.input);
  if (file === undefined || !readers.includes(result.tool)) return undefined;
  const again = rereadOf(result.text, shownOf(file, gone, context.view), nameOf(result.text).handle);
  if (!again) return undefined;
  return {
    result,
    text: again.text,
    why: again.kind === "same" ? "the same as a result in view" : "mostly in view already",
  };
}

/** Everything the window shows of a file: earlier reads, and what edits and writes put into it. `gone` is not there. */
function shownOf(file: string, gone: ReadonlySet<string>, view: History) {
  const calls = new Map<string, ToolUseBlock>();
  const shown: ShownText[] = [];
  for (const { id, message } of view) {
    if (gone.has(id)) continue;
    for (const block of blocksOf(message)) {
      if (block.type === "tool_use") {
        if (fileInInput(block.input) !== file) continue;
        calls.set(String(block.id), block as ToolUseBlock);
        for (const text of writtenTexts(block.input)) shown.push({ toolUseId: String(block.id), text });
      } else if (
        block.type === "tool_result" &&
        !gone.has(String(block.tool_use_id)) &&
        calls.has(String(block.tool_use_id))
      ) {
        const text = textOf(block.content);
        if (!isPersisted(text) && block.is_error !== true)
          shown.push({ toolUseId: String(block.tool_use_id), text });
      }
    }
  }
  return shown;
}

function writtenTexts(input: unknown) {
  const { content, new_string } = input as { content?: unknown; new_string?: unknown };
  return [content, new_string].filter((text) => typeof text === "string");
}

function planned({ result, text, why }: ShownResult, context: PlanContext): PlannedEdit {
  const { item, toolUseId, tool } = result;
  return {
    level: "budget",
    why,
    edit: { kind: "replace-result", toolUseId, content: withText(result.content, text) },
    removed: wholeResult(result.content, { tool, toolUseId, item: item.id, asFile: isPersisted(text) }),
    tokens: replacedTokens(context, item, result.text, text),
  };
}

/** The content with other text: images and the like keep their place around it. */
export function withText(content: unknown, text: string): string | readonly Block[] {
  if (!Array.isArray(content)) return text;
  const parts = content as readonly Block[];
  const first = parts.findIndex(isText);
  if (parts.every(isText)) return text;
  return parts.flatMap((part, at) => {
    if (at === first) return [{ ...part, text }];
    return isText(part) ? [] : [part];
  });
}

/** The edit of an entry that cut a result when it was first sent and left a preview of it; undefined for any other. */
export function cutOnArrival({ level, edit }: Pick<LedgerEntry, "level" | "edit">) {
  const isCut = level === "budget" && edit.kind === "replace-result" && isPersisted(textOf(edit.content));
  return isCut ? edit : undefined;
}
