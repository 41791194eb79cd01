// Secrets that bring their own surroundings: keys in armour, addresses, headers, files, commands.
import { jwt } from "./kinds.ts";
import type { Random } from "./random.ts";

/** Text, then the kind and the value of a secret, then text, and so on. */
export type Structured = (random: Random) => readonly [text: string, ...rest: string[]];

const dashes = "-".repeat(5);
const wrap = (text: string, width: number, prefix = ""): string =>
  (text.match(new RegExp(`.{1,${width}}`, "g")) ?? []).map((line) => prefix + line).join("\n");

function pem(random: Random, type: string, join = "\n"): string {
  const body = `MII${random.text("base64", 700)}==`;
  const label = `${type}PRIVATE ${"KEY"}`;
  return [
    `${dashes}BEGIN ${label}${dashes}`,
    ...wrap(body, 64).split("\n"),
    `${dashes}END ${label}${dashes}`,
  ].join(join);
}

const url = (scheme: string, user: string, password: string, rest: string): string =>
  `${scheme}${"://"}${user}:${password}@${rest}`;
const plain = (r: Random): string => r.text("alnum", 16);
const base64 = (text: string): string => Buffer.from(text).toString("base64");

export const tunedStructures: readonly Structured[] = [
  (r) => ["$ cat ~/.ssh/id_rsa\n", "private-key", pem(r, "OPENSSH "), "\n$ ls\n"],
  (r) => ["", "private-key", pem(r, "RSA "), "\n"],
  (r) => [
    '{ "type": "service_account", "private_key": "',
    "private-key",
    pem(r, "", "\\n"),
    '\\n", "client_email": "a@b.iam" }',
  ],
  (r) => ["DATABASE_URL=", "database-url", url("postgres", "app", plain(r), "db.internal:5432/shop"), "\n"],
  (r) => [
    "uri: ",
    "database-url",
    url("mongodb+srv", "root", plain(r), "c0.ab1.mongodb.net/app?retryWrites=true"),
    "\n",
  ],
  (r) => ["redis = Redis.from_url('", "database-url", url("redis", "", plain(r), "cache:6379/0"), "')"],
  (r) => ["origin\t", "url-credentials", url("https", "mira", plain(r), "git.acme.dev/shop.git"), " (fetch)"],
  (r) => [
    "curl -H 'Authorization: Bearer ",
    "bearer-token",
    r.text("alnum", 40),
    "' https://api.acme.dev/me",
  ],
  (r) => ["Authorization: Basic ", "basic-auth", base64(`mira:${plain(r)}`), "\r\nAccept: */*"],
  (r) => ["curl -u mira:", "password", plain(r), " https://api.acme.dev"],
  (r) => ["machine api.acme.dev\n  login mira\n  password ", "password", plain(r), "\n"],
  (r) => ["mira:", "password-hash", `$2y$10$${r.text("alnum", 53)}`, "\n"],
  (r) => ["Set-Cookie: session=", "session-cookie", r.text("alnum", 48), "; Path=/; HttpOnly"],
  (r) => ['{"auths":{"registry.acme.dev":{"auth":"', "docker-auth", base64(`ci:${plain(r)}`), '"}}}'],
  (r) => [
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\ntype: Opaque\ndata:\n  db-password: ",
    "kubernetes-secret",
    base64(plain(r)),
    "\n",
  ],
  (r) => [
    "AZURE_STORAGE_CONNECTION_STRING=",
    "azure-connection-string",
    `DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=${r.base64(64)};EndpointSuffix=core.windows.net`,
    "\n",
  ],
  (r) => ["GET /pay?card=", "card-number", card(r), "&cvc=123"],
  (r) => ["mysql -h db -u root -p", "password", plain(r), " shop < dump.sql"],
  (r) => ["user prompt: my key is ", "jwt", jwt(r), " please debug"],
  (r) => [
    "Please remember <private>",
    "private",
    `the door code is ${r.text("digits", 4)}`,
    "</private> thanks",
  ],
];

export const heldOutStructures: readonly Structured[] = [
  (r) => [
    "@@ -0,0 +1,14 @@\n",
    "private-key",
    pem(r, "EC ")
      .split("\n")
      .map((line, at) => (at === 0 ? line : `+${line}`))
      .join("\n"),
    "\n+\n",
  ],
  (r) => ["tls.key: |\n    ", "private-key", pem(r, "").replaceAll("\n", "\n    "), "\nother: 1"],
  (r) => ["client-key-data: ", "private-key", base64(pem(r, "RSA ")), "\n"],
  (r) => [
    'SQLALCHEMY_DATABASE_URI = "',
    "database-url",
    url("mysql+pymysql", "svc", `${plain(r)}%21`, "10.0.0.7/orders"),
    '"',
  ],
  (r) => ["connecting to ", "database-url", url("amqp", "worker", plain(r), "mq:5672/%2f"), " ..."],
  (r) => ["jdbc:", "database-url", url("postgresql", "etl", plain(r), "warehouse:5439/dev"), "\n"],
  (r) => [
    "remote: ",
    "url-credentials",
    url("https", "oauth2", r.text("alnum", 26), "gitlab.acme.dev/a/b.git"),
    "\n",
  ],
  (r) => [
    'headers: { "Authorization": "Bearer ',
    "bearer-token",
    r.text("url", 63) + r.text("alnum", 1),
    '" }',
  ],
  (r) => ["> proxy-authorization: basic ", "basic-auth", base64(`svc-build:${plain(r)}`), "\n>"],
  (r) => ["X-Api-Key: ", "api-key", r.text("alnum", 36), "\nHost: api.acme.dev"],
  (r) => ["db.internal:5432:shop:mira:", "password", plain(r), "\n"],
  (r) => [
    "root:",
    "password-hash",
    `$6$${r.text("alnum", 12)}$${r.text("alnum", 86)}`,
    ":19700:0:99999:7:::",
  ],
  (r) => [
    "hash = '",
    "password-hash",
    `$argon2id$v=19$m=65536,t=3,p=4$${r.text("alnum", 22)}$${r.text("alnum", 43)}`,
    "'",
  ],
  (r) => ["cookie: theme=dark; PHPSESSID=", "session-cookie", r.text("lower", 26), "; lang=de"],
  (r) => [
    "-H 'Cookie: connect.sid=",
    "session-cookie",
    `s%3A${r.text("alnum", 32)}.${r.text("alnum", 43)}`,
    "'",
  ],
  (r) => [
    "Server=tcp:sql.acme.dev,1433;Database=shop;User ID=sa;Password=",
    "password",
    `${plain(r)}!`,
    ";Encrypt=true;",
  ],
  (r) => ["sshpass -p '", "password", `${plain(r)}#`, "' ssh root@10.0.0.3"],
  (r) => ["CREATE USER etl WITH PASSWORD '", "password", plain(r), "' LOGIN;"],
  (r) => ["GRANT ALL ON shop.* TO 'etl'@'%' IDENTIFIED BY '", "password", plain(r), "';"],
  (r) => [
    `https://acme.blob.core.windows.net/backup/db.bak?sv=2022-11-02&se=2026-12-01&sr=b&sp=r&sig=`,
    "azure-sas",
    encodeURIComponent(r.base64(32)),
    "\n",
  ],
  (r) => ["Card number: ", "card-number", card(r).replace(/(\d{4})(?=\d)/g, "$1 "), " exp 04/29"],
  (r) => [
    "Access key ID,Secret access key\n",
    "aws-access-key",
    `${"AK"}IA${r.text("upper", 16)}`,
    ",",
    "aws-secret-key",
    r.text("base64", 39) + r.text("alnum", 1),
    "\n",
  ],
  (r) => ["the wifi password is ", "password", `${r.text("alnum", 10)}7!`, " if you need it"],
  (r) => ["数据库密码：", "password", `${r.text("alnum", 11)}7!`, "。不要外传"],
  (r) => ["[Interface]\nPrivateKey = ", "wireguard-key", r.base64(32), "\nAddress = 10.8.0.2/24"],
  (r) => [
    "sentry: ",
    "url-credentials",
    url("https", r.text("hex", 32), r.text("hex", 32), "o1.ingest.sentry.io/42"),
    "\n",
  ],
  (r) => ["note &lt;private&gt;", "private", `salary ${r.text("digits", 5)}`, "&lt;/private&gt; end"],
  (r) => ["keep <PRIVATE reason='x'>", "private", `a <private>b</private> ${r.text("digits", 5)}`, ""],
];

/** A card number with a right check digit. */
function card(random: Random): string {
  const digits = `4${"5"}${random.text("digits", 13)}`;
  for (let check = 0; check < 10; check += 1) {
    const sum = [...`${digits}${check}`].reverse().reduce((total, digit, at) => {
      const doubled = Number(digit) * (at % 2 === 0 ? 1 : 2);
      return total + (doubled > 9 ? doubled - 9 : doubled);
    }, 0);
    if (sum % 10 === 0) return `${digits}${check}`;
  }
  return digits;
}
