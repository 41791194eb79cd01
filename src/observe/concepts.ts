// The type of an observation and its concepts, by rules.
import type { Action } from "../activity/index.ts";
import type { ObservationType } from "../lib/index.ts";

const MOST = 8;
const plainFolders = new Set(
  "src source lib libs app apps cmd pkg packages internal test tests spec docs doc dist build home users work code main index mod init".split(
    " ",
  ),
);
const plainWords = new Set(
  `about above after again also another because been before being both build can't could does doing done don't each else even ever
   every file files find from give good have here into just keep know like look make many maybe more most much must need next now only
   other over please really right same should show some still sure take tell than that them then there these they thing things think this
   those through under until used using very want well were what when where which while will with without work would write yes your
   code change changed changes check line lines case add added using let's it's`.split(/\s+/),
);

/** `src/cli/session_state.test.ts` is about `cli` and `session_state`. */
function partsOf(path: string): string[] {
  const parts = path.split(/[\\/]/).filter(Boolean);
  const stem = (parts.pop() ?? "")
    .replace(/\.(test|spec)\b/, "")
    .replace(/_test\b/, "")
    .replace(/\.[^.]+$/, "");
  const folder = parts.at(-1) ?? "";
  return [stem, folder].filter(
    (part) => part.length > 1 && !part.startsWith(".") && !plainFolders.has(part.toLowerCase()),
  );
}

/** Words of the person that the answer or the work took up. */
function sharedWords(request: string, outcome: string): string[] {
  const heard = new Set((outcome.toLowerCase().match(/[a-z][\w'-]{3,24}/g) ?? []).map(stem));
  return request
    .split(/[^\p{L}\p{N}_'-]+/u)
    .map((word) => word.toLowerCase())
    .filter((word) => /^[a-z][\w'-]{3,24}$/.test(word) && !plainWords.has(word) && heard.has(stem(word)));
}

const stem = (word: string) => word.replace(/(?:e?s|ed|ing)$/, "");

export function conceptsOf(actions: readonly Action[], request: string, narrative: string): string[] {
  const changes = actions.filter(({ kind }) => kind === "change");
  const relevant = changes.length > 0 ? changes : actions.filter(({ path }) => path !== undefined);
  const names = changes.flatMap(({ names }) => [...(names?.added ?? []), ...(names?.changed ?? [])]);
  const paths = relevant.flatMap(({ path = "" }) => partsOf(path));
  const checks = actions.flatMap(({ check }) => check?.classes ?? []);
  const words = sharedWords(request, [narrative, ...actions.map(({ line }) => line)].join(" "));
  const counted = [
    ...paths.slice(0, 4),
    ...names.filter((name) => /^[\w$]+$/.test(name)).slice(0, 4),
    ...new Set(checks),
    ...words.slice(0, 4),
  ];
  const seen = new Map(counted.map((concept) => [concept.toLowerCase(), concept] as const).reverse());
  return [...new Map([...seen].reverse()).values()].slice(0, MOST);
}

const signs: readonly (readonly [ObservationType, RegExp])[] = [
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
function firstSign(text: string): ObservationType | undefined {
  let best: { readonly type: ObservationType; readonly at: number } | undefined;
  for (const [type, pattern] of signs) {
    const at = text.search(pattern);
    if (at >= 0 && (best === undefined || at < best.at)) best = { type, at };
  }
  return best?.type;
}

const isSource = (path: string) =>
  !/\.(md|mdx|txt|rst|json|jsonc|ya?ml|toml|lock|ini|cfg|env|gitignore|css|svg)$|(^|\/)(LICENSE|CHANGELOG|README)/i.test(
    path,
  );

/** Texts in the order of their weight. Where nothing that runs was touched it is a plain change. */
export function typeOfChange(
  changes: readonly Action[],
  texts: readonly (string | undefined)[],
): ObservationType {
  const sources = changes.filter(({ path = "" }) => isSource(path));
  if (changes.length > 0 && sources.length === 0) return "change";
  for (const text of texts) {
    const sign = text === undefined ? undefined : firstSign(text);
    if (sign !== undefined) return sign;
  }
  return sources.some(({ isNew }) => isNew === true) ? "feature" : "change";
}
