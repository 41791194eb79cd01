// Finds passwords that commands take in short flags or in the middle of an argument.
import { isPlaceholder, isSecretValue } from "../assignment/values.ts";
import type { Find } from "../found.ts";

/** The command, the way up to its flag, and the value in the group `value`. Each stays within one line. */
const COMMANDS: readonly RegExp[] = [
  /\b(?:mysql|mysqldump|mysqladmin|mysqlimport|mysqlshow|mariadb|mariadb-dump)\b[^\n|;&]{0,200}?\s-p(?:["'])?(?<value>[^\s"'|;&]{4,128})/g,
  /\bsshpass\s+-p\s?["']?(?<value>[^\s"']{4,128})/g,
  /\bredis-cli\b[^\n|;]{0,160}?\s(?:-a|--pass)\s+["']?(?<value>[^\s"'|;]{4,128})/g,
  /\bldap(?:search|modify|add|passwd|whoami|delete)\b[^\n|;]{0,240}?\s-w\s+["']?(?<value>[^\s"'|;]{4,128})/g,
  /\b(?:docker|podman|helm registry|az acr|oras|skopeo|buildah|nerdctl)\s+login\b[^\n|;]{0,200}?\s(?:-p|--password)[ =]["']?(?<value>[^\s"'|;]{4,512})/g,
  /\b(?:curl|wget|http|https|xh)\b[^\n|]{0,600}?\s(?:-u|--user|-a|--auth|--proxy-user|-U)[ =]?["']?[\w.@+-]{1,80}:(?<value>[^\s"'|;@]{4,256})/g,
  /\b(?:sqlcmd|bcp|isql|osql)\b[^\n|;]{0,200}?\s-P\s?["']?(?<value>[^\s"'|;]{4,128})/g,
  /\bmongo(?:sh|dump|restore|export|import)?\b[^\n|;]{0,200}?\s-p\s?["']?(?<value>[^\s"'|;]{4,128})/g,
  /\bpass(?:in|out)?\s+pass:(?<value>[^\s"'|;]{4,128})/g,
  /\b(?:7z|7za|zip|unzip|rar|unrar)\b[^\n|;]{0,160}?\s-[pP]\s?["']?(?<value>[^\s"'|;-][^\s"'|;]{3,128})/g,
  /\bsmbclient\b[^\n|;]{0,160}?\s-U\s+["']?[\w.\\/-]{1,80}%(?<value>[^\s"'|;]{4,128})/g,
  /\b(?:echo|printf)\s+["']?(?<value>[^\s"'|;]{6,128})["']?\s*\|\s*(?:sudo\s+-S|passwd|docker login|chpasswd)/g,
  /\becho\s+["']?[\w.-]{1,40}:(?<value>[^\s"'|;]{6,128})["']?\s*\|\s*(?:sudo\s+)?chpasswd/g,
  /\bnet\s+user\s+[\w.-]{1,40}\s+(?<value>[^\s"'|;/]{6,128})\s+\/add/gi,
];

const MENTIONS =
  /mysql|mariadb|sshpass|redis-cli|ldap|login|curl|wget|http|xh |sqlcmd|bcp|isql|osql|mongo|pass|7z|zip|rar|smbclient|echo|printf|net user/i;

function isGiven(value: string): boolean {
  return isSecretValue(value, "password", false) && !isPlaceholder(value);
}

export function findCommandPasswords(text: string): Find[] {
  if (!MENTIONS.test(text)) return [];
  const found: Find[] = [];
  for (const command of COMMANDS) {
    for (const match of text.matchAll(command)) {
      const value = match.groups?.value ?? "";
      if (!isGiven(value)) continue;
      const start = match.index + match[0].lastIndexOf(value);
      found.push({ kind: "password", start, end: start + value.length });
    }
  }
  return found;
}
