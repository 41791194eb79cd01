// Finds passwords that commands take in short flags or in the middle of an argument.
import { isSecretValue } from "../assignment/values.ts";
import { type Finder, matchAt } from "../finder.ts";
import type { Find } from "../found.ts";

/** A command as it is written, and the way from there to the value, within one line. */
const commands: readonly (readonly [landmarks: string, pattern: RegExp])[] = [
  ["mysql mariadb", /(?:mysql|mariadb)[\w-]{0,8}\b[^\n|;&]{0,200}?\s-p["']?(?<value>[^\s"'|;&]{4,128})/y],
  ["sshpass", /sshpass\s+-p\s?["']?(?<value>[^\s"']{4,128})/y],
  ["redis-cli", /redis-cli\b[^\n|;]{0,160}?\s(?:-a|--pass)\s+["']?(?<value>[^\s"'|;]{4,128})/y],
  [
    "ldap",
    /ldap(?:search|modify|add|passwd|whoami|delete)\b[^\n|;]{0,240}?\s-w\s+["']?(?<value>[^\s"'|;]{4,128})/y,
  ],
  ["login", /login\b[^\n|;]{0,200}?\s(?:-p|--password)[ =]["']?(?<value>[^\s"'|;]{4,512})/y],
  ["sqlcmd bcp isql osql", /\w{2,8}\b[^\n|;]{0,200}?\s-P\s?["']?(?<value>[^\s"'|;]{4,128})/y],
  [
    "mongo",
    /mongo(?:sh|dump|restore|export|import)?\b[^\n|;]{0,200}?\s-p\s?["']?(?<value>[^\s"'|;]{4,128})/y,
  ],
  ["pass:", /pass:(?<value>[^\s"'|;]{4,128})/y],
  ["7z zip unrar", /\w{2,8}\b[^\n|;]{0,160}?\s-[pP]\s?["']?(?<value>[^\s"'|;-][^\s"'|;]{3,128})/y],
  ["smbclient", /smbclient\b[^\n|;]{0,160}?\s-U\s+["']?[\w.\\/-]{1,80}%(?<value>[^\s"'|;]{4,128})/y],
  [
    "echo printf",
    /(?:echo|printf)\s+["']?(?:[\w.-]{1,40}:)?(?<value>[^\s"'|;]{6,128})["']?\s*\|\s*(?:sudo\s+-S|(?:sudo\s+)?passwd|docker login|(?:sudo\s+)?chpasswd)/y,
  ],
];

const byLandmark = new Map(
  commands.flatMap(([landmarks, pattern]) => landmarks.split(" ").map((landmark) => [landmark, pattern])),
);

function given(at: number, match: RegExpExecArray | undefined): Find | undefined {
  const value = match?.groups?.value ?? match?.groups?.key ?? "";
  // What fills the whole width that a pattern allows goes on behind it, and is no password.
  if (!match || value.length === 128 || !isSecretValue(value, "password", false)) return undefined;
  const start = at + match[0].lastIndexOf(value);
  return { kind: "password", start, end: start + value.length };
}

export const commandFinder: Finder = {
  name: "command",
  landmarks: [...byLandmark.keys()],
  look(text, at, literal) {
    const pattern = byLandmark.get(literal);
    const isWord = /\w/.test(text.charAt(at - 1));
    return pattern && !isWord ? given(at, matchAt(pattern, text, at)) : undefined;
  },
};

const FLAG = String.raw`\s(?:-u|--user|-a|--auth|--proxy-user|-U)\s{0,3}=?`;
const USER = new RegExp(
  String.raw`${FLAG}["']?(?:\{?[\w.@+-]{0,80}\}?["']?:["']?\{?(?<value>[^\s"'|;}]{4,256})|(?<key>[^\s"'|;:]{8,256}):(?=["'\s]))`,
  "y",
);
const HTTP_CLIENT = /\b(?:curl|wget|https?|xh)\b(?:[^\n]|\\\n){0,600}$/;

/** curl -u name:password, and the like of other clients. */
export const userFlagFinder: Finder = {
  name: "user-flag",
  landmarks: [" -u", " --user", " -a ", " --auth", " --proxy-user", " -U "],
  look(text, at) {
    const match = matchAt(USER, text, at);
    return match && HTTP_CLIENT.test(text.slice(Math.max(0, at - 640), at)) ? given(at, match) : undefined;
  },
};
