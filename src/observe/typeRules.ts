// Which type a change has, by evidence: what the commit, the request and the closing words call it, and what was touched.
import type { Action } from "./actions.ts";
import type { DraftType } from "./model.ts";

const signs: readonly (readonly [DraftType, RegExp])[] = [
  [
    "bugfix",
    /\b(?:fix(?:e[sd]|ing)?|bugs?|bugfix|hotfix|repair\w*|resolv\w+|crash\w*|failed|broken|regression|faults?|fails|failing|incorrect\w*|wrong(?:ly)?)\b|修复|修正|修好|故障|报错|崩溃/i,
  ],
  [
    "refactor",
    /\b(?:refactor\w*|renam\w+|extract\w*|mov(?:e|ed|ing)|clean(?:ed|ing)? ?up|simplif\w+|restructur\w+|dedup\w*|duplicate[ds]?|consolidat\w+|reorgani[sz]\w+|inlin\w+|split)\b|重构|重命名|整理|简化|拆分|移动/i,
  ],
  [
    "feature",
    /\b(?:add(?:s|ed|ing)?|implement\w*|creat\w+|introduc\w+|support\w*|new|allow\w*|enabl\w+|build|feat)\b|新增|添加|实现|支持|增加|新建/i,
  ],
];

/** The sign that comes first in a text: "add a fix for" is an addition, "fix what was added" is none. */
function firstSign(text: string): DraftType | undefined {
  let best: { readonly type: DraftType; readonly at: number } | undefined;
  for (const [type, pattern] of signs) {
    const at = text.search(pattern);
    if (at >= 0 && (best === undefined || at < best.at)) best = { type, at };
  }
  return best?.type;
}

const isSource = (path: string): boolean =>
  !/\.(md|mdx|txt|rst|json|jsonc|ya?ml|toml|lock|ini|cfg|env|gitignore|css|svg)$|(^|\/)(LICENSE|CHANGELOG|README)/i.test(
    path,
  );

/** Texts in the order of their weight. Where nothing that runs was touched it is a plain change. */
export function typeOfChange(changes: readonly Action[], texts: readonly (string | undefined)[]): DraftType {
  const sources = changes.filter(({ path = "" }) => isSource(path));
  if (changes.length > 0 && sources.length === 0) return "change";
  for (const text of texts) {
    const sign = text === undefined ? undefined : firstSign(text);
    if (sign !== undefined) return sign;
  }
  return sources.some(({ isNew }) => isNew === true) ? "feature" : "change";
}
