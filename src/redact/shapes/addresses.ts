// Finds addresses that carry credentials, signatures or keys, and connection strings that hold a password.
import { isPlaceholder } from "../assignment/values.ts";
import { type Find, type Finder, matchAt } from "../found.ts";
import { standsOut } from "../wordy.ts";

const ADDRESS_RANK = 1;

const DATABASE =
  /^(?:postgres(?:ql)?|mysqlx?|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|oracle|cockroach(?:db)?|clickhouse|cassandra|couchdb|neo4j|bolt|db2|ldaps?|memcached|nats|kafka|snowflake|redshift|jdbc|libsql|influxdb|elasticsearch|opensearch|celery|turso)/i;

const SCHEME_BEFORE = /(?:jdbc:)?[A-Za-z][A-Za-z0-9+.-]{1,30}$/;
// The password may hold an unencoded "@" or "/": the last "@" before the host ends it.
const CREDENTIALS =
  /([^\s:@/"'`<>()[\]{}|]{0,128}):([^\s"'`<>]{1,256}?)@(?=(\[[0-9A-Fa-f:]+\]|[A-Za-z0-9_.-]{1,253}|%[sv])(?::\d+)?(?:[/?#,"'`\s)\]}>;\\]|$))/y;
const TOKEN_AS_USER = /([A-Za-z0-9_-]{20,255})@(?=[A-Za-z0-9.-]{3,253}(?:[:/]|$))/y;
const ADDRESS_REST = /[^\s"'`<>\\]{0,2048}/y;

const ADDRESS_TEMPLATE = /\$\{|\$\(|\{\{|\{[\w.]*\}|%s|%v|^\$[A-Z_a-z]|^%\w+%$|<|\*\*\*|^\[|^:\w|xxxx/;
const STAND_IN =
  /^(?:pass(?:word|wd)?|pwd|pw|secret|token|user(?:name)?|changeme|your[-_]?\w*|my[-_]?(?:pass|secret)\w*|x{3,}|\.{3}|\*+|x-oauth-basic|x-token-auth|git|p|pass(?:word)?123|db_?pass(?:word)?|passw0rd|foo|bar|abc|test|xyz|123|guest)$/i;

function isCredential(password: string) {
  return (
    password.length >= 3 &&
    !ADDRESS_TEMPLATE.test(password) &&
    !STAND_IN.test(password) &&
    !isPlaceholder(password)
  );
}

function withCredentials(text: string, separator: number): Find | undefined {
  const scheme = SCHEME_BEFORE.exec(text.slice(Math.max(0, separator - 36), separator))?.[0];
  if (scheme === undefined) return undefined;
  const from = separator + 3;
  const match = matchAt(CREDENTIALS, text, from) ?? matchAt(TOKEN_AS_USER, text, from);
  if (!match) return undefined;
  const [whole, user = "", password] = match;
  if (password !== undefined && password === user) return undefined;
  const userIsToken = password === undefined || /^x-(?:oauth|token)/.test(password);
  if (userIsToken ? !/\d/.test(user) || !isCredential(user) : !isCredential(password ?? "")) return undefined;
  // A port and a path are no password: http://localhost:5173/@vite/client.
  const isUnencoded = password?.includes("/") === true && (password.length < 20 || !standsOut(password));
  if (password !== undefined && /^\d{0,5}\//.test(password)) return undefined;
  if (isUnencoded && !DATABASE.test(scheme)) return undefined;
  const rest = (matchAt(ADDRESS_REST, text, from + whole.length)?.[0] ?? "").replace(/[),.;\]}]+$/, "");
  const start = separator - scheme.length;
  return {
    kind: DATABASE.test(scheme) ? "database-url" : "url-credentials",
    start,
    end: from + whole.length + rest.length,
    hidden: { start: from, end: from + whole.length - 1 },
    secret: { start: userIsToken ? from : from + user.length + 1, end: from + whole.length - 1 },
    rank: ADDRESS_RANK,
  };
}

const SIGNATURE =
  /(?<=[?&;])(?:sig|x-amz-signature|x-goog-signature|signature|x-amz-security-token)=([\w%+/=~.-]{20,2048})/iy;
const LEAD = /(?:https?:\/\/)?[^\s"'`<>]{0,1024}$/;

/** Addresses whose signature alone grants access. */
function signed(text: string, at: number): Find | undefined {
  const match = matchAt(SIGNATURE, text, at);
  const value = match?.[1] ?? "";
  if (!match || isPlaceholder(value)) return undefined;
  const start = at + match[0].length - value.length;
  const lead = LEAD.exec(text.slice(Math.max(0, at - 1_024), at))?.[0] ?? "";
  const rest = matchAt(ADDRESS_REST, text, start + value.length)?.[0] ?? "";
  return {
    kind: /^sig=/i.test(match[0]) ? "azure-sas" : "signed-url",
    start: at - lead.length,
    end: start + value.length + rest.length,
    hidden: { start, end: start + value.length },
    rank: ADDRESS_RANK,
  };
}

const HELD =
  /(?<=(?:^|[;"'`\s=]))(AccountKey|SharedAccessKey|SharedAccessSignature|SharedSecretValue|Password|Pwd|AccessKey|primaryKey)\s?=\s?([^;"'`\s<>\\]{4,300})/iy;
const PAIRS_BEFORE = /(?:[A-Za-z][\w ]{1,28}=[^;"'`\n<>\\=]{0,300}=?;\s?){1,12}$/;
const PAIRS_AFTER = /(?:;\s?[A-Za-z][\w ]{1,28}=[^;"'`\s<>\\]{0,300}){0,12};?/y;

/** A connection string: pairs parted by semicolons, one of which is the key to all. */
function connectionString(text: string, at: number): Find | undefined {
  const match = matchAt(HELD, text, at);
  const value = match?.[2] ?? "";
  if (!match) return undefined;
  const start = at + match[0].length - value.length;
  const isInside = /;\s?$/.test(text.slice(Math.max(0, at - 2), at));
  const before = isInside ? (PAIRS_BEFORE.exec(text.slice(Math.max(0, at - 800), at))?.[0] ?? "") : "";
  const after = matchAt(PAIRS_AFTER, text, start + value.length)?.[0] ?? "";
  if ((before === "" && !after.includes("=")) || !isCredential(value)) return undefined;
  return {
    kind: /^(?:password|pwd)/i.test(match[0]) ? "connection-string" : "azure-connection-string",
    start: at - before.length,
    end: start + value.length + after.length,
    hidden: { start, end: start + value.length },
    rank: ADDRESS_RANK,
  };
}

const ORACLE = /thin:[\w$.-]{1,64}\/([^\s@"'`]{4,128})@/iy;

export const addressFinders: readonly Finder[] = [
  { name: "url", landmarks: "://", look: withCredentials },
  /** Oracle's drivers put user and password before the host without a scheme of their own. */
  {
    name: "oracle-url",
    landmarks: "thin:",
    look(text, at) {
      const match = matchAt(ORACLE, text, at);
      const password = match?.[1] ?? "";
      if (!match || !isCredential(password)) return undefined;
      const end = at + match[0].length - 1;
      return { kind: "database-url", start: end - password.length, end, rank: ADDRESS_RANK };
    },
  },
  {
    name: "signed-url",
    landmarks: "sig=|x-amz-signature=|x-goog-signature=|signature=|x-amz-security-token=",
    look: signed,
  },
  {
    name: "connection-string",
    landmarks: "AccountKey|SharedAccess|SharedSecretValue|Password|Pwd|AccessKey|primaryKey",
    look: connectionString,
  },
];
