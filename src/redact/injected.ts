// Finds what a text should not be able to do to a model that reads it: forged tags, hidden characters, orders.
// It only reports places; the module that stores or shows the text decides what to do.
import { BoundedMap, isNeededJoiner } from "../lib/index.ts";
import { addressed } from "./addressed.ts";
import { readable } from "./readable.ts";
import type { View } from "./view.ts";

export const injectedKinds = [
  /** Markup that only the agent itself, its tools or Throughline may speak in. */
  "forged-tag",
  /** Characters that a person does not see and a model reads. */
  "hidden-characters",
  /** Characters that make a person read the text in another order than a model does. */
  "bidi",
  /** Words that order a model to leave its task, or to keep something from its user. */
  "instruction",
  /** Words that speak to the model which reads them, and tell it what to do. */
  "addressed",
  /** Words or commands that carry secrets or conversations elsewhere. */
  "exfiltration",
] as const;

export type InjectedKind = (typeof injectedKinds)[number];

interface Injected {
  readonly kind: InjectedKind;
  /** In UTF-16 code units; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  /** What was found, short and visible. */
  readonly evidence: string;
}

interface Rule {
  readonly kind: InjectedKind;
  /** With the flag `g`; bounded, and without nested repetition. */
  readonly pattern: RegExp;
  /** What else has to be in a match, or in the line before it. */
  readonly inside?: RegExp;
  readonly before?: RegExp;
}

const tagNames = [
  "system(?:[-_](?:reminder|prompt|message|instructions?))?",
  "antml:[a-z_]{1,30}|function_(?:calls?|results?)",
  "tool_(?:use|result|call|calls|response|outputs?)",
  "(?:local-)?command-(?:name|message|args|stdout|stderr|caveat)",
  "bash-(?:input|stdout|stderr)",
  "persisted-output|user-prompt-submit-hook|task-notification|throughline-context",
  "(?:user|human|assistant|developer)_(?:message|turn|query)",
].join("|");

/** Programs that carry something elsewhere, and what is not theirs to carry. */
const network = "curl|wget|nc|ncat|netcat|Invoke-WebRequest|iwr";
const secretFile =
  "(?:\\.env\\b|\\.ssh/|\\bid_(?:rsa|ed25519)|\\.aws/|\\.netrc|\\.npmrc|\\.pypirc|\\.git-credentials|\\.kube/|\\.claude(?:/|\\.json)|_history\\b|/etc/(?:passwd|shadow))";
const inserted = `(?:(?:\\$\\(|\`|<)[^\\n]{0,60}(?:${secretFile}|\\bprintenv\\b|\\benv\\b)|(?:@|--(?:post|body|upload)-file[= ]|-T )[^\\s]{0,60}${secretFile})`;
const source = `(?:\\b(?:cat|base64|gzip|tar|xxd)\\s[^\\n|]{0,100}${secretFile}|\\bprintenv\\b|(?:^|[;&|(\\s])env\\s?(?=\\|))`;

const rules: readonly Rule[] = [
  {
    kind: "forged-tag",
    pattern: new RegExp(
      `(?:<|&lt;|\\\\u003c)\\s?/?(?:${tagNames})(?:\\s[^<>\\n]{0,200})?/?(?:>|&gt;|\\\\u003e)`,
      "gi",
    ),
  },
  {
    // The tokens with which other models part their turns.
    kind: "forged-tag",
    pattern:
      /<\|(?:im_start|im_end|im_sep|system|user|assistant|tool|endoftext|start_header_id|end_header_id|eot_id|channel|message)\|>|\[\/?INST\]|<<\/?SYS>>|<\/?(?:start|end)_of_turn>/gi,
  },
  { kind: "forged-tag", pattern: /(?<=\n[ \t]{0,8}\n|^)(?:Human|Assistant|System):(?=\s)/g },
  {
    kind: "instruction",
    pattern:
      /\b(?:ignore|disregard|forget|override|bypass|do not follow|don't follow|stop following)\s{1,4}(?:\w{1,20}\s{1,4}){0,3}?(?:previous|prior|above|earlier|preceding|existing|original|your|system|all)\s{1,4}(?:\w{1,20}\s{1,4}){0,3}?(?:instructions?|prompts?|rules?|guidelines?|directives?|messages?|context|training)\b/gi,
  },
  {
    kind: "instruction",
    pattern:
      /\b(?:don't|do not|never|without)\s{1,4}(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|reveal(?:ing)?|alert(?:ing)?|notify(?:ing)?)\s{1,4}(?:\w{1,20}\s{1,4}){0,4}?(?:user|human|operator|developer|owner)\b/gi,
  },
  {
    kind: "instruction",
    pattern:
      /\b(?:you are now (?:an?|the|acting|free|no longer|going to|in (?:\w{1,20} ){0,2}mode)\b|from now on,? you(?: are| will|'ll| must)|new (?:system )?instructions?\s?:|system prompt\s?:|(?:reveal|print|repeat|output|leak)\s{1,4}(?:\w{1,20}\s{1,4}){0,2}?your\s{1,4}(?:system )?prompt|(?:attention|message|instructions?)\s(?:to|for)\s(?:all\s|any\s|the\s)?(?:ai|llm|language model|assistant|agent|claude|chatgpt|copilot|gpt)s?\b)/gi,
  },
  {
    kind: "instruction",
    pattern:
      /(?:忽略|无视|忘记|不要遵守|不要理会|停止遵循).{0,6}(?:之前|以前|以上|上面|先前|前面|此前|原有|所有|系统|你的).{0,8}(?:指令|指示|提示词?|说明|规则|要求|消息|对话)|(?:不要|不得|别|勿)(?:告诉|告知|通知|提醒|询问|让)(?:用户|使用者|开发者|主人).{0,4}|(?:从现在起|从现在开始),?你(?:是|将|要|必须)/g,
  },
  {
    kind: "exfiltration",
    pattern:
      /\b(?:send|post|upload|exfiltrate|forward|e-?mail|transmit|leak|submit|copy)\b[^.\n]{0,80}\b(?:api[ _-]?keys?|tokens?|passwords?|secrets?|credentials?|private keys?|ssh keys?|environment variables?|env vars?|cookies?|conversation|chat history|system prompt|source code|id_rsa|env file)\b[^\n]{0,60}\b(?:to|at|via|into)\b[^\n]{0,20}?(?:https?:\/\/|\bwww\.|@[\w-]{1,40}\.|webhook|pastebin|ngrok|requestbin)/gi,
  },
  {
    // A picture that is loaded from elsewhere with something of ours in its address.
    kind: "exfiltration",
    pattern: /!\[[^\]\n]{0,200}\]\(\s?https?:\/\/[^\s)]{1,600}\)/gi,
    inside:
      /[?&][\w-]{1,40}=(?:[^\s)&]{0,100}(?:\{\{?|\$\{|%7B|<|\[)|(?:secret|token|key|password|data|conversation|history|context)s?\b)/i,
  },
  {
    kind: "exfiltration",
    pattern: new RegExp(inserted, "gi"),
    before: new RegExp(`\\b(?:${network})\\b`, "i"),
  },
  {
    kind: "exfiltration",
    pattern: new RegExp(`${source}[^\\n|]{0,60}\\|[^\\n]{0,80}\\b(?:${network})\\s`, "gi"),
  },
];

const HIDDEN =
  /[\u200b-\u200d\u2060-\u2064\u180e\ufeff\u115f\u1160\u3164\uffa0]+|[\u{e0000}-\u{e007f}]+|[\u{e0100}-\u{e01ef}]{2,}|[\ufff9-\ufffb]/gu;
const BIDI = /[\u202a-\u202e\u2066-\u2069]+/g;
/** Whether anything at all has to be looked at closely. */
const UNUSUAL =
  /[\u115f\u1160\u180e\u200b-\u200d\u202a-\u202e\u2060-\u2069\u3164\ufeff\uffa0\ufff9-\ufffb\udb40]/;

const isRightful = (text: string, start: number, run: string) =>
  run === "\ufeff" ? start === 0 : isNeededJoiner(text, start, run);

const codePoints = (run: string) => {
  const points = [...new Set(run)].map(
    (each) => `U+${(each.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`,
  );
  return `${points.slice(0, 4).join(" ")}${points.length > 4 ? " …" : ""} (${[...run].length})`;
};

function findUnseen(text: string) {
  const found: Injected[] = [];
  if (!UNUSUAL.test(text)) return found;
  // A text may hold the same run a hundred thousand times: it is described once.
  const described = new BoundedMap<string, string>(10_000);
  const add = (kind: InjectedKind, start: number, run: string) => {
    const evidence = described.remember(run, () => codePoints(run));
    found.push({ kind, start, end: start + run.length, evidence });
  };
  for (const { 0: run, index } of text.matchAll(HIDDEN))
    if (!isRightful(text, index, run)) add("hidden-characters", index, run);
  for (const { 0: run, index } of text.matchAll(BIDI)) add("bidi", index, run);
  return found;
}

const LONGEST_EVIDENCE = 80;
/** How far before a match its line is looked at. */
const LINE_BEFORE = 200;

/** Where a match begins: at what its rule asks for before it, on the same line. Undefined where that is missing. */
function startOf({ inside, before }: Rule, text: string, index: number, words: string) {
  if (inside && !inside.test(words)) return undefined;
  if (!before) return index;
  const near = text.slice(Math.max(0, index - LINE_BEFORE), index);
  const line = near.slice(near.lastIndexOf("\n") + 1);
  const found = before.exec(line);
  return found ? index - line.length + found.index : undefined;
}

function injectedAt(kind: InjectedKind, { text, place }: View, start: number, end: number): Injected {
  const shown = text
    .slice(start, Math.min(end, start + 400))
    .replace(/\s+/g, " ")
    .trim();
  const evidence = shown.length > LONGEST_EVIDENCE ? `${shown.slice(0, LONGEST_EVIDENCE)}…` : shown;
  return { kind, start: place(start), end: place(end), evidence };
}

function spoken(words: View, by: readonly Rule[]) {
  const found: Injected[] = [];
  for (const rule of by)
    for (const { 0: match, index } of words.text.matchAll(rule.pattern)) {
      const start = startOf(rule, words.text, index, match);
      if (start !== undefined) found.push(injectedAt(rule.kind, words, start, index + match.length));
    }
  return found;
}

/** Small letters without a change of length: places stay what they are. */
const inSmallLetters = (text: string) => text.replace(/[A-Z]+/g, (run) => run.toLowerCase());

function spokenToModels(words: View) {
  const text = inSmallLetters(words.text);
  const found: Injected[] = [];
  for (const { landmark, patterns } of addressed) {
    if (!landmark.test(text)) continue;
    for (const pattern of patterns)
      for (const { 0: match, index } of text.matchAll(pattern))
        found.push(injectedAt("addressed", words, index, index + match.length));
  }
  return found;
}

/**
 * Every place where a text speaks in another role, in the order of the text; stretches may overlap. Pure, never
 * throws, linear in the length of the text. Letters are read as a person reads them: in other widths and styles, and
 * with what cannot be seen between them left out. A text that only quotes such words is found as well.
 */
export function findInjected(text: string): Injected[] {
  return findUnseen(text)
    .concat(spoken(readable(text), rules))
    .sort((a, b) => a.start - b.start || a.end - b.end);
}

/** Orders to leave a task and to carry secrets away are orders wherever they stand. */
const orders = rules.filter(({ kind }) => kind === "instruction" || kind === "exfiltration");

/**
 * The one decision on what may not stand among our own words: as a title, in an index, a summary or a list. `guidance` is
 * what a person keeps for the model on purpose; being addressed to it is no fault there.
 */
export function findOrders(text: string, role: "data" | "guidance" = "data"): Injected[] {
  const words = readable(text);
  const found = spoken(words, orders);
  return role === "guidance" ? found : [...found, ...spokenToModels(words)];
}
