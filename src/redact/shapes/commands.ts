// Finds passwords that commands take in short flags or in the middle of an argument.
import { isSecretValue } from "../assignment/values.ts";
import { type Finder, findAt, matchAt } from "../found.ts";
import { standsOut } from "../wordy.ts";

/** A command as it is written, and the way from there to the value, within one line. */
const commands: readonly (readonly [landmarks: string, pattern: RegExp])[] = [
  ["mysql|mariadb", /(?:mysql|mariadb)[\w-]{0,8}\b[^\n|;&]{0,200}?\s-p["']?(?<value>[^\s"'|;&]{4,128})/y],
  ["sshpass", /sshpass\s+-p\s?["']?(?<value>[^\s"']{4,128})/y],
  ["redis-cli", /redis-cli\b[^\n|;]{0,160}?\s(?:-a|--pass)\s+["']?(?<value>[^\s"'|;]{4,128})/y],
  [
    "ldap",
    /ldap(?:search|modify|add|passwd|whoami|delete)\b[^\n|;]{0,240}?\s-w\s+["']?(?<value>[^\s"'|;]{4,128})/y,
  ],
  ["login", /login\b[^\n|;]{0,200}?\s(?:-p|--password)[ =]["']?(?<value>[^\s"'|;]{4,512})/y],
  ["sqlcmd|bcp|isql|osql", /\w{2,8}\b[^\n|;]{0,200}?\s-P\s?["']?(?<value>[^\s"'|;]{4,128})/y],
  [
    "mongo",
    /mongo(?:sh|dump|restore|export|import)?\b[^\n|;]{0,200}?\s-p\s?["']?(?<value>[^\s"'|;]{4,128})/y,
  ],
  ["pass:", /pass:(?<value>[^\s"'|;]{4,128})/y],
  ["7z|zip|unrar", /\w{2,8}\b[^\n|;]{0,160}?\s-[pP]\s?["']?(?<value>[^\s"'|;-][^\s"'|;]{3,128})/y],
  ["smbclient", /smbclient\b[^\n|;]{0,160}?\s-U\s+["']?[\w.\\/-]{1,80}%(?<value>[^\s"'|;]{4,128})/y],
  ["lftp", /lftp\b[^\n|;]{0,160}?\s-u\s+["']?[\w.@-]{1,80},(?<value>[^\s"'|;]{4,128})/y],
  ["net user", /net user\s+[\w.@-]{1,80}\s+["']?(?<value>[^\s"'|;/*][^\s"'|;]{3,128})/iy],
  [
    "htpasswd",
    /htpasswd\s+-\w{0,6}b\w{0,6}\s+(?:-\w+\s+)?\S{1,120}\s+\S{1,80}\s+["']?(?<value>[^\s"'|;]{4,128})/y,
  ],
  [
    "ipmitool|snmpwalk|snmpget|rdesktop|sqsh|kinit|vncviewer|cqlsh|mosquitto_|pg_dump|psql|unzip|ssh-keygen|influx|clickhouse|tsql|curlftpfs|xfreerdp",
    /\w{2,12}\b[^\n|;]{0,200}?\s-[pPwWAN]\s+["']?(?<value>[^\s"'|;-][^\s"'|;]{3,128})/y,
  ],
  [
    "add-generic-password|add-internet-password",
    /add-\w{1,10}-password\b[^\n|;]{0,200}?\s-w\s+["']?(?<value>[^\s"'|;]{4,128})/y,
  ],
  [
    "freerdp|mstsc|setup.exe|psexec|runas|cmdkey",
    /[\w. ]{2,12}\b[^\n]{0,200}?\s\/(?:p|pass|password|pw):["']?(?<value>[^\s"'|;]{4,128})/iy,
  ],
  ["ConvertTo-SecureString", /ConvertTo-SecureString\s+(?:-String\s+)?["'](?<value>[^"'\n$]{4,128})["']/iy],
  // What a script types when it is asked: expect "Password:" … send "value\\r".
  [
    "expect ",
    /expect\s[^\n]{0,40}(?:assword|assphrase)[^\n]{0,20}\r?\n\s{0,16}send\s(?:--\s)?["'](?<value>[^"'\n\\]{4,128})/iy,
  ],
  // redis-cli> AUTH value, ACL SETUSER name on >value
  ["> AUTH|>AUTH", />\s?AUTH\s+(?:[\w.-]{1,40}\s+)?(?<value>[^\s"'|;]{4,128})\s{0,4}(?:\r?\n|$)/iy],
  [
    "user |ACL SETUSER",
    /(?:user|ACL SETUSER)\s+[\w.-]{1,60}\s[^\n]{0,60}?>(?<value>[^\s"'|;]{4,128})(?=\s)/iy,
  ],
  [
    "sqlplus|impdp|expdp|rman|exp |imp ",
    /\w{3,8}\s+(?:-\w+\s+){0,3}[\w.-]{1,40}\/["']?(?<value>[^\s"'|;@/]{4,128})/iy,
  ],
  [
    "rabbitmqctl",
    /rabbitmqctl\s+(?:add_user|change_password)\s+["']?[\w.@-]{1,60}["']?\s+["']?(?<value>[^\s"'|;]{4,128})/y,
  ],
  [
    "obscure|openssl passwd",
    /(?:rclone obscure|openssl passwd\s+-\w{1,8}|obscure)\s+["']?(?<value>[^\s"'|;)]{4,128})/y,
  ],
  ["openssl", /openssl\s[^\n|]{0,160}?\s-[kK]\s+["']?(?<value>[^\s"'|;]{4,128})/y],
  ["rar a", /rar a\s[^\n|]{0,80}?-hp?(?<value>[^\s"'|;]{4,128})/y],
  ["snmp-server", /snmp-server community\s+(?<value>[^\s"'|;]{4,64})/iy],
  ["net use", /net use\s[^\n]{0,160}?\/user:\S{1,80}\s+["']?(?<value>[^\s"'|;/]{4,128})/iy],
  ["WIFI:", /WIFI:[^\n]{0,120}?P:(?<value>[^\s;]{8,63});/y],
  ["wpa_passphrase", /wpa_passphrase\s+["']?[^\s"']{1,40}["']?\s+["']?(?<value>[^\s"'|;]{8,63})/y],
  ["PRAGMA", /PRAGMA\s+(?:re)?key\s{0,2}=\s{0,2}["'](?<value>[^"'\n]{4,128})/iy],
  ["BUNDLE_", /BUNDLE_\w{2,60}:\s{0,4}["']?[\w.@-]{1,60}:(?<value>[^\s"'|;]{6,128})/y],
  ["kubeadm", /kubeadm\b[^\n]{0,200}?--token[ =](?<value>[a-z0-9]{6}\.[a-z0-9]{16})\b/y],
  ["Credential", /Credential\s+\w{0,10}\s?\/?pass(?:word)?[: ](?<value>[^\s"'|;]{4,128})/iy],
  [
    "echo|printf",
    /(?:echo|printf)\s+["']?(?:[\w.-]{1,40}:)?(?<value>[^\s"'|;]{6,128})["']?\s{0,4}\|\s{0,4}(?:sudo\s+-S|(?:sudo\s+)?passwd|docker login|(?:sudo\s+)?chpasswd|[^\n|]{0,60}(?:secret|password|passphrase|token|login|env add|_KEY\b))/y,
  ],
];

const byLandmark = new Map(
  commands.flatMap(([landmarks, pattern]) => landmarks.split("|").map((landmark) => [landmark, pattern])),
);

function givenValue(at: number, match: RegExpExecArray | undefined) {
  const value = match?.groups?.value ?? match?.groups?.key ?? "";
  // What fills the whole width that a pattern allows goes on behind it, and is no password.
  if (!match || value.length === 128 || !isSecretValue(value, "password", false)) return undefined;
  const start = at + match[0].lastIndexOf(value);
  return findAt("password", start, value);
}

const USER_FLAG = String.raw`\s(?:-u|--user|-a|--auth|--proxy-user|-U)\s{0,3}=?`;
const USER = new RegExp(
  String.raw`${USER_FLAG}["']?(?:\{?[\w.@+-]{0,80}\}?["']?:["']?\{?(?<value>[^\s"'|;}]{4,256})|(?<key>[^\s"'|;:]{8,256}):(?=["'\s]))`,
  "y",
);
const HTTP_CLIENT = /\b(?:curl|wget|https?|xh)\b(?:[^\n]|\\\n){0,600}$/;

const SHORT_FLAG = /\s-[pPwWN]\s{1,2}["']?(?<value>[\w!@#%^*+~?.=-]{8,64})["']?(?=\s|$)/y;

const COMBINATION = /@[\w-]{1,60}(?:\.[\w-]{2,40}){1,4}:(?<value>[^\s:/"'`<>,;|.]{8,64})(?=\s|$)/y;

const SIGN_IN =
  /(?:login|auth|authtoken|add-authtoken)[ \t]{1,2}(?:--?[\w-]{1,20}[ \t]{1,2}){0,3}(?<value>[\w.=-]{20,256})[ \t]{0,4}(?=[\r\n;&|]|$)/y;

export const commandFinders: readonly Finder[] = [
  {
    name: "command",
    landmarks: [...byLandmark.keys()].join("|"),
    look(text, at, literal) {
      const pattern = byLandmark.get(literal);
      const isWord = /\w/.test(text.charAt(at - 1)) && literal !== "freerdp";
      return pattern && !isWord ? givenValue(at, matchAt(pattern, text, at)) : undefined;
    },
  },
  /** curl -u name:password, and the like of other clients. */
  {
    name: "user-flag",
    landmarks: " -u| --user| -a | --auth| --proxy-user| -U ",
    look(text, at) {
      const match = matchAt(USER, text, at);
      return match && HTTP_CLIENT.test(text.slice(Math.max(0, at - 640), at))
        ? givenValue(at, match)
        : undefined;
    },
  },
  /** A short flag of any command, where its value can be nothing but a password. */
  {
    name: "short-flag",
    landmarks: " -p | -P | -w | -W | -N ",
    look(text, at) {
      const match = matchAt(SHORT_FLAG, text, at);
      const value = match?.groups?.value ?? "";
      const isMixed = /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value);
      return isMixed && standsOut(value) ? givenValue(at, match) : undefined;
    },
  },
  /** vault login …, wandb login …, snyk auth …: a command that is given nothing but a token. */
  {
    name: "sign-in",
    landmarks: "login |auth |authtoken ",
    look(text, at) {
      if (!/[\w-] $/.test(text.slice(Math.max(0, at - 2), at))) return undefined;
      const match = matchAt(SIGN_IN, text, at);
      const value = match?.groups?.value ?? "";
      if (!match || !isSecretValue(value, "secret", true)) return undefined;
      const start = at + match[0].indexOf(value);
      return findAt("secret", start, value);
    },
  },
  /** user@host.com:password, as lists of accounts have it. */
  {
    name: "combination",
    landmarks: "@",
    look(text, at) {
      if (!/[\w.+-]/.test(text.charAt(at - 1))) return undefined;
      const match = matchAt(COMBINATION, text, at);
      const value = match?.groups?.value ?? "";
      return /[A-Z]/.test(value) && standsOut(value) ? givenValue(at, match) : undefined;
    },
  },
];
