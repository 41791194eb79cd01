// Finds addresses that carry credentials, signatures or keys, and connection strings that hold a password.
import { isPlaceholder } from "../assignment/values.ts";
import type { Find } from "../found.ts";

const RANK = 1;

const DATABASE =
  /^(?:postgres(?:ql)?|mysqlx?|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|oracle|cockroach(?:db)?|clickhouse|cassandra|couchdb|neo4j|bolt|db2|ldaps?|memcached|nats|kafka|snowflake|redshift|jdbc|libsql|influxdb|elasticsearch|opensearch|celery|turso)/i;

const SCHEME_BEFORE = /(?:jdbc:)?[A-Za-z][A-Za-z0-9+.-]{1,30}$/;
// The password may hold an "@" or a "/" that nobody encoded: the last "@" before the host ends it.
const CREDENTIALS =
  /([^\s:@/"'`<>()[\]{}|]{0,128}):([^\s"'`<>]{1,256}?)@(?=(\[[0-9A-Fa-f:]+\]|[A-Za-z0-9_.-]{1,253}|%[sv])(?::\d+)?(?:[/?#,"'`\s)\]}>;\\]|$))/y;
const TOKEN_AS_USER = /([A-Za-z0-9_-]{20,255})@(?=[A-Za-z0-9.-]{3,253}(?:[:/]|$))/y;
const REST = /[^\s"'`<>\\]{0,2048}/y;

const TEMPLATE = /\$\{|\$\(|\{\{|\{[\w.]*\}|%s|%v|^\$[A-Z_a-z]|^%\w+%$|<|\*\*\*|^\[|^:\w|xxxx/;
const STAND_IN =
  /^(?:pass(?:word|wd)?|pwd|pw|secret|token|user(?:name)?|changeme|your[-_]?\w*|my[-_]?(?:pass|secret)\w*|x{3,}|\.{3}|\*+|x-oauth-basic|x-token-auth|git|p|pass(?:word)?123|db_?pass(?:word)?|passw0rd|foo|bar|abc|test|hunter)$/i;

function isCredential(password: string): boolean {
  return (
    password.length >= 3 && !TEMPLATE.test(password) && !STAND_IN.test(password) && !isPlaceholder(password)
  );
}

function withCredentials(text: string, separator: number): Find | undefined {
  const scheme = SCHEME_BEFORE.exec(text.slice(Math.max(0, separator - 36), separator))?.[0];
  if (scheme === undefined) return undefined;
  const from = separator + 3;
  CREDENTIALS.lastIndex = from;
  TOKEN_AS_USER.lastIndex = from;
  const match = CREDENTIALS.exec(text) ?? TOKEN_AS_USER.exec(text);
  if (!match) return undefined;
  const [whole, user = "", password] = match;
  const userIsToken = password === undefined || /^x-(?:oauth|token)/.test(password);
  if (userIsToken ? !/\d/.test(user) || !isCredential(user) : !isCredential(password ?? "")) return undefined;
  // A port and a path are no password: http://localhost:5173/@vite/client.
  if (password?.includes("/") && (/^\d{0,5}\//.test(password) || !DATABASE.test(scheme))) return undefined;
  REST.lastIndex = from + whole.length;
  const rest = (REST.exec(text)?.[0] ?? "").replace(/[),.;\]}]+$/, "");
  const start = separator - scheme.length;
  return {
    kind: DATABASE.test(scheme) ? "database-url" : "url-credentials",
    start,
    end: from + whole.length + rest.length,
    hidden: { start: from, end: from + whole.length - 1 },
    rank: RANK,
  };
}

function findUrls(text: string): Find[] {
  const found: Find[] = [];
  for (let at = text.indexOf("://"); at >= 0; at = text.indexOf("://", at + 3)) {
    const find = withCredentials(text, at);
    if (find) found.push(find);
  }
  return found;
}

const SIGNED =
  /[?&](?:sig|X-Amz-Signature|X-Goog-Signature|Signature|X-Amz-Security-Token|X-Amz-Credential|se)=/;
const SIGNATURE =
  /(?<=[?&;])(sig|x-amz-signature|x-goog-signature|signature|x-amz-security-token)=([\w%+/=~.-]{20,2048})/gi;

/** Addresses that open a door by themselves because a signature is part of them. */
function findSignedUrls(text: string): Find[] {
  if (!SIGNED.test(text)) return [];
  const found: Find[] = [];
  for (const match of text.matchAll(SIGNATURE)) {
    const value = match[2] ?? "";
    if (isPlaceholder(value)) continue;
    const valueStart = match.index + match[0].length - value.length;
    const before = text.slice(Math.max(0, match.index - 1_024), match.index);
    const lead = /(?:https?:\/\/)?[^\s"'`<>]{0,1024}$/.exec(before)?.[0] ?? "";
    REST.lastIndex = valueStart + value.length;
    const rest = REST.exec(text)?.[0] ?? "";
    found.push({
      kind: /^sig$/i.test(match[1] ?? "") ? "azure-sas" : "signed-url",
      start: match.index - lead.length,
      end: valueStart + value.length + rest.length,
      hidden: { start: valueStart, end: valueStart + value.length },
      rank: RANK,
    });
  }
  return found;
}

const CONNECTION =
  /(?<![\w])(?:[A-Za-z][\w ]{1,28}=[^;"'`\n<>]{0,300};\s?){1,12}(?:[A-Za-z][\w ]{1,28}=[^;"'`\s<>]{0,300};?)?/g;
const HELD =
  /(?:^|;)\s?(AccountKey|SharedAccessKey|SharedAccessSignature|SharedSecretValue|Password|Pwd|AccessKey|primaryKey)\s?=\s?([^;"'`\s<>]{4,300})/gi;

function findConnectionStrings(text: string): Find[] {
  if (!/(?:AccountKey|SharedAccessKey|SharedAccessSignature|Password|Pwd|AccessKey)\s?=/i.test(text))
    return [];
  const found: Find[] = [];
  for (const whole of text.matchAll(CONNECTION)) {
    for (const held of whole[0].matchAll(HELD)) {
      const name = held[1] ?? "";
      const value = held[2] ?? "";
      if (!isCredential(value)) continue;
      const start = whole.index + held.index + held[0].length - value.length;
      found.push({
        kind: /^(?:password|pwd)$/i.test(name) ? "connection-string" : "azure-connection-string",
        start: whole.index,
        end: whole.index + whole[0].trimEnd().length,
        hidden: { start, end: start + value.length },
        rank: RANK,
      });
    }
  }
  return found;
}

export function findAddresses(text: string): Find[] {
  return [...findUrls(text), ...findSignedUrls(text), ...findConnectionStrings(text)];
}
