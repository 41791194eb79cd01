// Finds tokens by the prefixes their makers gave them: one pass for the prefixes, then the rule that fits.
import { type Find, type Finder, findAt, matchAt, Progress, trimmedLength } from "../found.ts";
import { compactTokens, tokenRules } from "./compact.ts";
import { isMadeUp } from "./madeUp.ts";
import { vendorTokens } from "./vendors.ts";

interface TokenShape {
  readonly kind: string;
  readonly pattern: RegExp;
  readonly hasLead: boolean;
}

const TOKEN_RANK = 2;
const escapedForRegExp = (literal: string) => literal.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** Shapes that have no prefix but a landmark inside; the group `lead` is what stands before it. */
const landmarkTokens = tokenRules(String.raw`
  telegram-token  :AA  (?<=(?<![\w-])(?<lead>\d{8,10})):AA[\w-]{32,35}(?![\w-])
  mailchimp-key  -us  (?<=(?<![0-9a-f])(?<lead>[0-9a-f]{32}))-us\d{1,2}(?!\d)
  azure-client-secret  Q~  (?<=(?<![\w~.-])(?<lead>[\w~.-]{3}\d))Q~[\w~.-]{31,34}(?![\w~.-])
  terraform-token  .atlasv1.  (?<=(?<![A-Za-z0-9])(?<lead>[A-Za-z0-9]{14}))\.atlasv1\.[\w=-]{40,90}
  azure-storage-key  +AS  (?<=(?<![\w+/])(?<lead>[\w+/]{76}))\+AS[tb][\w+/]{6,8}={0,2}
  azure-devops-token  AZDO  (?<=(?<lead>[A-Za-z0-9]{76}))AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])
  azure-key  JQQJ99  (?<=(?<lead>[A-Za-z0-9]{52}))JQQJ99[A-Za-z0-9]{26}
  stripe-key  _secret_  (?<=(?<lead>(?:pi|seti|cs_(?:live|test))_[A-Za-z0-9]{16,80}))_secret_[A-Za-z0-9]{16,64}
  openai-key  T3BlbkFJ  (?<=(?<lead>sk-[\w-]{20,100}))T3BlbkFJ[\w-]{20,100}
`);

const shapesByLiteral = new Map<string, TokenShape[]>();

function addShape(literal: string, kind: string, pattern: string, hasLead: boolean) {
  const shape = { kind, pattern: new RegExp(pattern, "y"), hasLead };
  shapesByLiteral.set(literal, [...(shapesByLiteral.get(literal) ?? []), shape]);
}

for (const [kind, starts, body] of [...compactTokens, ...vendorTokens])
  for (const start of starts.split(" ")) addShape(start, kind, escapedForRegExp(start) + body, false);
for (const [kind, landmark, pattern] of landmarkTokens) addShape(landmark, kind, pattern, true);

/** Whether a token may begin here: not in the middle of a word, unless the word is the end of an escape. */
function isTokenStart(text: string, at: number) {
  const code = text.charCodeAt(at - 1);
  const isWord = (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
  if (at === 0 || !isWord) return true;
  const before = text.slice(Math.max(0, at - 10), at);
  return /\\[nrtbf]$|%[0-9A-Fa-f]{2}$|\\u[0-9a-f]{4}$|\\x[0-9a-f]{2}$|\[[\d;]{0,8}m$/.test(before);
}

/** The beginning of an address whose host is a landmark: it belongs to the secret. */
function addressBefore(text: string, at: number, literal: string) {
  if (!literal.includes("/")) return "";
  return /https?:\/\/[\w.-]{0,40}$/.exec(text.slice(Math.max(0, at - 56), at))?.[0] ?? "";
}

const tokenProgress = new Progress();
/** Where the last token began: a longer prefix may still name its kind better. */
let readAt = 0;

function lookForToken(text: string, at: number, literal: string): Find | undefined {
  for (const { kind, pattern, hasLead } of shapesByLiteral.get(literal) ?? []) {
    if (!hasLead && !isTokenStart(text, at - addressBefore(text, at, literal).length)) continue;
    const match = matchAt(pattern, text, at);
    if (!match) continue;
    const lead = match.groups?.lead ?? addressBefore(text, at, literal);
    const start = at - lead.length;
    if (hasLead && !isTokenStart(text, start)) continue;
    // Without the dots and dashes of the sentence that it ends.
    const end = at + trimmedLength(match[0], ".-");
    // The longer its prefix, the surer the kind.
    const rank = TOKEN_RANK + literal.length / 100;
    const isReal = !isMadeUp(text.slice(start, end), literal);
    // A run of thousands of prefixes is read once.
    if (isReal || match[0].length > 200) {
      tokenProgress.reached(at + match[0].length);
      readAt = at;
    }
    if (isReal) return { kind, start, end, rank };
  }
  return undefined;
}

const DISCORD = /(?<![\w.-])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,45}(?![\w-])/g;

/** Bot tokens of Discord have no landmark at all: the number of a bot, a time and a signature in base64. */
function findDiscordTokens(text: string) {
  const found: Find[] = [];
  if (text.length < 58 || !/\.[\w-]{6}\.[\w-]{27}/.test(text)) return found;
  for (const { index, 0: token } of text.matchAll(DISCORD)) {
    const bot = Buffer.from(token.slice(0, token.indexOf(".")), "base64").toString("latin1");
    if (/^\d{15,21}$/.test(bot)) found.push(findAt("discord-token", index, token, TOKEN_RANK));
  }
  return found;
}

export const tokenFinders: readonly Finder[] = [
  {
    name: "token",
    landmarks: [...shapesByLiteral.keys()].join("|"),
    look(text, at, literal) {
      // Landmarks are seen in any case, tokens have one.
      if (!text.startsWith(literal, at) || (tokenProgress.isPast(at) && at !== readAt)) return undefined;
      return lookForToken(text, at, literal);
    },
  },
  { name: "discord-token", landmarks: "", scan: findDiscordTokens },
];
