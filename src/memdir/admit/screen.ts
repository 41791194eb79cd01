// Screens a text before it enters the folder: secrets, orders to a model, and tool output that poses as the user.
import { defined } from "../../lib/index.ts";
import { findInjected, findOrders, type InjectedKind, redactText } from "../../redact/index.ts";
import { type Author, isGuidance, type MemoryContent, type MemoryType } from "../folder/model.ts";

interface ScreenedText extends Pick<MemoryContent, "name" | "description" | "body"> {
  readonly surprising?: string;
}

/** Why a memory may be an instruction that was slipped in. */
export interface Suspicion {
  readonly kind: InjectedKind | "unconfirmed" | "standing-order";
  readonly evidence: string;
}

/** The same text without its secrets, and the kinds of what was hidden. */
export function redactDraft<T extends ScreenedText>(
  draft: T,
): { readonly draft: T; readonly hidden: readonly string[] } {
  const hidden: string[] = [];
  const clean = (text: string) => {
    const { text: redacted, found } = redactText(text);
    hidden.push(...found.map(({ kind }) => kind));
    return redacted;
  };
  const { name, description, body, surprising } = draft;
  const cleaned = { name: clean(name), description: clean(description), body: clean(body) };
  return {
    draft: { ...draft, ...cleaned, ...defined({ surprising: surprising && clean(surprising) }) },
    hidden,
  };
}

/** Standing rules, which the output of a tool must not set. */
const STANDING =
  /\b(?:always|never|must(?: not)?|from now on|in (?:the )?future|every time|whenever|make sure|remember to|do not|don't)\b|(?:总是|永远|必须|务必|从现在起|以后都|每次|不要|切勿)/i;

/** Why a person has to read a text before it is kept. */
export function findSuspicions(draft: ScreenedText, origin: { type: MemoryType; author: Author }) {
  const texts = [draft.name, draft.description, draft.body, draft.surprising ?? ""];
  // The user may address the model; the assistant's words may where the memory is guidance.
  const isFree = origin.author === "user" || (origin.author === "assistant" && isGuidance(origin.type));
  const addressed = isFree
    ? []
    : texts.flatMap((text) => findOrders(text)).filter(({ kind }) => kind === "addressed");
  const found: Suspicion[] = [...texts.flatMap(findInjected), ...addressed].map(({ kind, evidence }) => ({
    kind,
    evidence,
  }));
  if (origin.author !== "tool") return found;
  if (origin.type === "user" || origin.type === "feedback")
    found.push({ kind: "unconfirmed", evidence: `a ${origin.type} memory from a tool or a page` });
  const order = STANDING.exec(`${draft.description}\n${draft.body}\n${draft.surprising ?? ""}`)?.[0];
  if (order !== undefined) found.push({ kind: "standing-order", evidence: order });
  return found;
}

/** Makes markup that could pass for another speaker visible words; everything else stays. */
export function neutralizeMarkup(text: string) {
  let result = text;
  for (let round = 0; round < 4; round++) {
    const found = findInjected(result).filter(
      ({ kind }) => kind !== "instruction" && kind !== "exfiltration",
    );
    if (found.length === 0) return result;
    let next = "";
    let at = 0;
    for (const { kind, start, end } of found) {
      if (start < at) continue;
      next += result.slice(at, start) + (kind === "forged-tag" ? visibleTag(result.slice(start, end)) : "");
      at = end;
    }
    result = next + result.slice(at);
  }
  // After four rounds everything that could be markup is removed.
  return result.replace(/[^\p{L}\p{N}\s.,;!?()'"/-]/gu, " ");
}

const visibleTag = (tag: string) =>
  `‹${tag
    .replace(/&[lg]t;|\\u003[ce]|[<>[\]|:\s]+/gi, " ")
    .trim()
    .replace(/\s+/g, "-")}›`;
