// What a text must not bring into the folder: secrets, orders to a model, and words of strangers in a user's name.
import { findInjected, findOrders, type InjectedKind, redactText } from "../../redact/index.ts";
import { type Author, isGuidance, type MemoryType } from "../folder/model.ts";

interface ScreenedText {
  readonly name: string;
  readonly description: string;
  readonly body: string;
  readonly surprising?: string;
}

export interface Suspicion {
  readonly kind: InjectedKind | "unconfirmed" | "standing-order";
  readonly evidence: string;
}

/** The same text without its secrets, and the kinds of what was hidden. */
export function redactDraft<T extends ScreenedText>(
  draft: T,
): { readonly draft: T; readonly hidden: readonly string[] } {
  const hidden: string[] = [];
  const clean = (text: string): string => {
    const { text: redacted, found } = redactText(text);
    hidden.push(...found.map(({ kind }) => kind));
    return redacted;
  };
  return {
    draft: {
      ...draft,
      ...(draft.surprising === undefined ? {} : { surprising: clean(draft.surprising) }),
      name: clean(draft.name),
      description: clean(draft.description),
      body: clean(draft.body),
    },
    hidden,
  };
}

/** Rules for every day, which a page or a program has no business to set. */
const STANDING =
  /\b(?:always|never|must(?: not)?|from now on|in (?:the )?future|every time|whenever|make sure|remember to|do not|don't)\b|(?:总是|永远|必须|务必|从现在起|以后都|每次|不要|切勿)/i;

const isAddressed = ({ kind }: { readonly kind: InjectedKind }): boolean => kind === "addressed";

/** Why a text has to be looked at by a person before it is kept. */
export function findSuspicions(
  draft: ScreenedText,
  origin: { type: MemoryType; author: Author },
): Suspicion[] {
  const texts = [draft.name, draft.description, draft.body, draft.surprising ?? ""];
  // A person may speak to the model; in other people's words that is what guidance is for, and nothing else.
  const isFree = origin.author === "user" || (origin.author === "assistant" && isGuidance(origin.type));
  const addressed = isFree ? [] : texts.flatMap((text) => findOrders(text)).filter(isAddressed);
  const found: Suspicion[] = [...texts.flatMap((text) => findInjected(text)), ...addressed].map(
    ({ kind, evidence }) => ({ kind, evidence }),
  );
  if (origin.author !== "tool") return found;
  if (origin.type === "user" || origin.type === "feedback")
    found.push({ kind: "unconfirmed", evidence: `a ${origin.type} memory from a tool or a page` });
  const order = STANDING.exec(`${draft.description}\n${draft.body}\n${draft.surprising ?? ""}`)?.[0];
  if (order !== undefined) found.push({ kind: "standing-order", evidence: order });
  return found;
}

const speaks = (kind: InjectedKind): boolean => kind !== "instruction" && kind !== "exfiltration";

/** Marks that would be taken for somebody else's voice become visible words. What a person has confirmed stays otherwise. */
export function neutralizeMarkup(text: string): string {
  let result = text;
  for (let round = 0; round < 4; round++) {
    const found = findInjected(result).filter(({ kind }) => speaks(kind));
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
  // Whatever still speaks loses everything that could be markup.
  return result.replace(/[^\p{L}\p{N}\s.,;!?()'"/-]/gu, " ");
}

const visibleTag = (tag: string): string =>
  `‹${tag
    .replace(/&[lg]t;|\\u003[ce]|[<>[\]|:\s]+/gi, " ")
    .trim()
    .replace(/\s+/g, "-")}›`;
