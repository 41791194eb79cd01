// Texts that look like they held a secret and do not: hashes, ids, placeholders, references, code.
import type { Random } from "./random.ts";

export type LookAlike = (random: Random) => string;

const sk = ["s", "k-"].join("");
const dashes = "-".repeat(5);

export const tunedLookAlikes: readonly LookAlike[] = [
  (r) => `commit ${r.text("hex", 40)}\nAuthor: Mira <mira@acme.dev>\n`,
  (r) => `"integrity": "sha512-${r.base64(64)}",`,
  (r) => `"id": "${r.uuid()}", "sessionId": "${r.uuid()}"`,
  (r) => `<img src="data:image/png;base64,${r.base64(300)}">`,
  () => `OPENAI_API_KEY=${sk}${"x".repeat(32)}`,
  () => "API_KEY=<your-api-key>\nDB_PASSWORD=changeme",
  () => 'password: "********"',
  () => "DB_PASSWORD=${DB_PASSWORD}\nTOKEN=$TOKEN",
  () => "const token = process.env.GITHUB_TOKEN;",
  () => 'password = os.environ["DB_PASSWORD"]',
  () => "interface Login { password: string; token?: string; apiKey: string | undefined }",
  () => "const secret = await getSecret(name); const token = req.headers.authorization;",
  () => "max_tokens: 4096, input_tokens: 120331, cache_read_input_tokens=88123",
  (r) => `docker.io/library/node@sha256:${r.text("hex", 64)}`,
  (r) => `etag: W/"${r.text("hex", 32)}"`,
  (r) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${r.text("base64", 43)} mira@laptop`,
  (r) => `${dashes}BEGIN CERTIFICATE${dashes}\n${r.text("base64", 64)}\n${dashes}END CERTIFICATE${dashes}`,
  () => `if (key.startsWith("${dashes}BEGIN ${"PRIVATE"} KEY${dashes}")) return parse(key);`,
  () => "postgres://user:password@localhost:5432/db",
  () => "https://github.com/acme/shop.git and git@github.com:acme/shop.git",
  () => "Authorization: Bearer ${token}\nAuthorization: Bearer <token>",
  (r) => `"next_page_token": "${r.text("alnum", 40)}"`,
  () => 'primaryKey: "customer_id", sortKey: "created_at", cacheKey: "user:42:profile"',
  () => "http://localhost:5173/@vite/client and https://unpkg.com/@types/node@20.1.0/index.d.ts",
  (r) => `<Button key="${r.text("lower", 12)}" className="token keyword">`,
  () => '"password": "Passwort", "forgotPassword": "Passwort vergessen?"',
  (r) => `toolu_01${r.text("alnum", 22)} msg_01${r.text("alnum", 22)} req_011${r.text("alnum", 21)}`,
  (r) => `git show ${r.text("hex", 12)}:src/auth/token.ts`,
];

export const heldOutLookAlikes: readonly LookAlike[] = [
  (r) => `resolved "https://registry.yarnpkg.com/a/-/a-1.0.0.tgz#${r.text("hex", 40)}"`,
  (r) => `github.com/acme/lib v1.2.3 h1:${r.base64(32)}`,
  (r) => `Cargo.lock checksum = "${r.text("hex", 64)}"`,
  (r) => `trace_id=${r.text("hex", 32)} span_id=${r.text("hex", 16)} request_id=${r.uuid()}`,
  (r) => `tok_${r.text("digits", 4)} in snapshot "renders token ${r.below(90)}"`,
  () => "export AWS_SECRET_ACCESS_KEY=$(aws ssm get-parameter --name /prod/key)",
  () => "password: {{ .Values.db.password | quote }}",
  () => "secretKeyRef:\n  name: app-secrets\n  key: db-password",
  () => "token: ${{ secrets.GITHUB_TOKEN }}",
  () => "password = var.db_password\napi_key  = data.aws_ssm_parameter.key.value",
  () => "db_password = (sensitive value)\ntoken = <sensitive>",
  () => "z.object({ password: z.string().min(8), token: z.string().uuid() })",
  () => "def login(self, password: str, token: Optional[str] = None) -> bool:",
  () => 'throw new Error("Invalid password: must contain at least 8 characters");',
  () => "--password-stdin --token-file=/run/secrets/token PASSWORD_FILE=/run/secrets/db_password",
  () => 'passwordField.setText("Enter password"); label="Password"',
  (r) => `"csrfToken": "${r.text("alnum", 32)}"`,
  (r) => `!function(e,t){var n=${r.below(99)};a.key=function(){return e.token=t.auth=n}}(${r.below(9)});`,
  (r) => `tokenizer: { vocab_hash: "${r.text("hex", 40)}", pad_token: "<pad>" }`,
  () => "AKIA" + "IOSFODNN7EXAMPLE is the key of the documentation",
  () => `STRIPE_KEY=${["sk", "_test_"].join("")}${"0".repeat(24)}`,
  () => "test card 4242 4242 4242 4242 and order 1234 5678 9012 3456",
  () => "REDIS_URL=redis://localhost:6379/0 and mongodb://127.0.0.1:27017/test",
  () => "kubectl get secret app -o jsonpath='{.data.password}' | base64 -d",
  (r) => `/home/mira/.cache/ms-playwright/chromium-1${r.text("digits", 3)}/chrome-linux`,
  () => "The secret of a good API key rotation: token lifetimes. Passwords are hashed.",
  () => "密码不能为空，请输入密码。令牌已过期，请重新登录。",
  () => "Cookie: theme=dark; lang=zh-CN; consent=accepted",
  (r) => `blob ${r.text("hex", 40)} tree ${r.text("hex", 40)} vault handle v_${r.text("hex", 16)}`,
  () => "curl -u user:password https://example.com; mysql -u root -p shop",
  () =>
    `${dashes}BEGIN PUBLIC KEY${dashes}\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n${dashes}END PUBLIC KEY${dashes}`,
  () =>
    "const auth = useAuth(); const { token, refreshToken } = auth; setToken(null); password === confirmPassword",
];
