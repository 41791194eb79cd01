// Finds what need not be remembered because it can be looked up: in the code, in git, in the project's instructions.
import type { Place } from "../../claims/index.ts";
import { sumOf } from "../../lib/index.ts";
import type { MemoryType } from "../folder/model.ts";
import { isLookedUp } from "./lookedUp.ts";
import { outsideWords, saysMoreThanCode } from "./outsideCode.ts";
import { similarity } from "./relations.ts";
import { thresholds } from "./thresholds.ts";

export const derivableKinds = {
  "code-structure": "the code says it",
  "git-history": "git says it",
  fix: "the fix is in the code, and its reason in the commit",
  instructions: "the project's instructions say it already",
  found: "the repository or its history has all of it together",
} as const;

type DerivableKind = keyof typeof derivableKinds;

/** A part of a memory that can be looked up, and what says it. */
export interface Derivable {
  readonly kind: DerivableKind;
  readonly evidence: string;
}

const PATH = "`?[\\w@.-]+(?:/[\\w@.-]+)+`?|`[\\w-]+\\.[a-z]{1,5}`";

/** Lists are looked up whatever else is said with them. */
const lists: readonly (readonly [DerivableKind, RegExp])[] = [
  ["code-structure", /[├└]──/],
  ["git-history", /(?:#\d+\b[^\n]*){3}/],
];

const patterns: readonly (readonly [DerivableKind, RegExp])[] = [
  [
    "code-structure",
    /\b(?:project|repo(?:sitory)?|code(?:base)?|director(?:y|ies)|folder|module|package) (?:structure|layout|tree)\b|\b(?:code|project|repo(?:sitory)?|module)s? (?:is|are) organi[sz]ed\b|目录结构|项目结构|代码结构|代码架构/i,
  ],
  [
    "code-structure",
    new RegExp(
      `\\b(?:(?:is|are|was) (?:defined|implemented|located|declared|exported|found)|lives?) in\\b.{0,30}?(?:${PATH})`,
      "i",
    ),
  ],
  ["code-structure", new RegExp(`(?:定义在|位于|实现在|存放在)\\s?(?:${PATH})`)],
  [
    "code-structure",
    /\b(?:the )?(?:function|class|method|component|module|interface|hook|endpoint) `[^`]+` (?:takes|returns|calls|extends|implements|imports|exports|handles|accepts|is called)\b/i,
  ],
  [
    "git-history",
    /\bcommits? `?[0-9a-f]{7,40}\b|\bgit (?:log|blame|show)\b|\b(?:recent|last|latest) (?:\w+ )?commits?\b|提交记录|提交历史/i,
  ],
  [
    "git-history",
    /\b(?:merged|open(?:ed)?|closed) (?:\d+ )?(?:PRs|pull requests)\b|PR 列表|合并了.{0,10}PR/i,
  ],
  [
    "fix",
    /\b(?:the )?(?:fix|solution|workaround) (?:was|is) (?:to|in|a)\b|\b(?:fixed|resolved|solved|patched) (?:it |this |the (?:bug|issue|error|crash|test) )?(?:by|in|with)\b|\bwas (?:fixed|resolved|solved|patched) (?:by|in|with)\b|修复(?:方法|方案|了)|解决(?:办法|方案|方法)是/i,
  ],
];

/** Pieces that can be judged alone: paragraphs, and the points of lists. */
const splitPieces = (body: string) =>
  body
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "");

const LISTED_PATH = new RegExp(`^(?:[-*]|\\d+\\.)?\\s*(?:${PATH})\\s*(?:[-—–:].*)?$`);

interface Known {
  readonly instructions: readonly string[];
  readonly places: readonly Place[];
}

function derivableIn(piece: string, { instructions, places }: Known): Derivable | undefined {
  const evidence = piece.length > 120 ? `${piece.slice(0, 120)}…` : piece;
  if (instructions.some((known) => similarity(known, piece) >= thresholds.sameInstruction))
    return { kind: "instructions", evidence };
  for (const [kind, pattern] of lists) if (pattern.test(piece)) return { kind, evidence };
  if (saysMoreThanCode(piece)) return undefined;
  if (outsideWords(piece).length === 0)
    for (const [kind, pattern] of patterns) if (pattern.test(piece)) return { kind, evidence };
  if (LISTED_PATH.test(piece)) return { kind: "code-structure", evidence };
  return isLookedUp(piece, places) ? { kind: "found", evidence } : undefined;
}

/** Marks the part that cannot be looked up. */
const SURPRISING = /^\*\*(?:surprising|what was surprising|non-obvious|意外之处)\s*[:：]?\*\*\s*[:：]?/i;

type DerivableJudgement =
  | { readonly kind: "keep"; readonly body: string }
  | { readonly kind: "derivable"; readonly found: readonly Derivable[] };

/**
 * A memory of which at least half can be looked up is refused, unless it names what was surprising: that part, and what
 * cannot be looked up, is kept. `places` are where to look; without them the wording alone decides. `user` and `feedback`
 * memories are compared with the instructions alone.
 */
export function judgeDerivable(
  { type, body, surprising }: { type: MemoryType; body: string; surprising?: string | undefined },
  instructions: readonly string[] = [],
  places: readonly Place[] = [],
): DerivableJudgement {
  const paragraphs = instructions
    .flatMap(splitPieces)
    .filter((piece) => piece.length > thresholds.instructionCharacters);
  const known = { instructions: paragraphs, places };
  const judged = splitPieces(body).map((piece) => ({
    piece,
    isSurprising: SURPRISING.test(piece),
    found: derivableIn(piece, known),
  }));
  const isAsked = (kind: DerivableKind) =>
    kind === "instructions" || type === "project" || type === "reference";
  const bad = judged.filter(
    ({ found, isSurprising }) => !isSurprising && found !== undefined && isAsked(found.kind),
  );
  const length = (list: readonly { piece: string }[]) => sumOf(list, ({ piece }) => piece.length);
  const plain = judged.filter((each) => !each.isSurprising);
  if (bad.length === 0 || length(bad) < thresholds.derivableShare * length(plain))
    return { kind: "keep", body: surprising === undefined ? body : `${body.trim()}\n\n${surprising.trim()}` };
  if (surprising === undefined && !judged.some(({ isSurprising }) => isSurprising))
    return { kind: "derivable", found: bad.flatMap(({ found }) => found ?? []) };
  const kept = judged
    .filter((each) => !bad.includes(each))
    .map(({ piece }) => piece.replace(SURPRISING, "").trim());
  return {
    kind: "keep",
    body: [...kept, ...(surprising === undefined ? [] : [surprising.trim()])].join("\n\n"),
  };
}
