// The kinds of secret in the labelled set: how a value is made and the name it usually goes by.
import type { Random } from "./random.ts";

export interface Kind {
  readonly kind: string;
  /** Usual names of the variable that holds it. */
  readonly names: readonly string[];
  make(random: Random): string;
}

/** Joins a prefix that is kept in pieces: a scanner of this repository must find nothing to report. */
const p = (...pieces: readonly string[]): string => pieces.join("");

const kind = (name: string, names: string, make: Kind["make"]): Kind => ({
  kind: name,
  names: names.split(" "),
  make,
});

/** Values that are recognised by their own shape. */
export const shapedKinds: readonly Kind[] = [
  kind("aws-access-key", "AWS_ACCESS_KEY_ID accessKeyId", (r) => p("AK", "IA") + r.text("upper", 16)),
  kind("aws-access-key", "AWS_ACCESS_KEY_ID", (r) => p("AS", "IA") + r.text("upper", 16)),
  kind(
    "google-api-key",
    "GOOGLE_API_KEY mapsKey",
    (r) => p("AI", "za") + r.text("url", 34) + r.text("alnum", 1),
  ),
  kind("google-oauth", "GOOGLE_CLIENT_SECRET", (r) => p("GOC", "SPX-") + r.text("alnum", 28)),
  kind("google-oauth", "access_token", (r) => p("ya", "29.") + p("a0") + r.text("alnum", 120)),
  kind(
    "azure-client-secret",
    "AZURE_CLIENT_SECRET",
    (r) => `${r.text("alnum", 3)}8${p("Q", "~")}${r.text("alnum", 34)}`,
  ),
  kind(
    "github-token",
    "GITHUB_TOKEN GH_TOKEN",
    (r) => p("gh", r.pick(["p", "o", "s", "u"]), "_") + r.text("alnum", 36),
  ),
  kind(
    "github-token",
    "GITHUB_TOKEN pat",
    (r) => p("github", "_pat_") + r.text("alnum", 22) + "_" + r.text("alnum", 59),
  ),
  kind("gitlab-token", "GITLAB_TOKEN CI_TOKEN", (r) => p("gl", "pat-") + r.text("alnum", 20)),
  kind("bitbucket-token", "BITBUCKET_APP_PASSWORD", (r) => p("AT", "BB") + r.text("alnum", 32)),
  kind("npm-token", "NPM_TOKEN _authToken", (r) => p("np", "m_") + r.text("alnum", 36)),
  kind(
    "pypi-token",
    "PYPI_TOKEN TWINE_PASSWORD",
    (r) => p("py", "pi-AgEIcHlwaS5vcmc") + r.text("url", 120) + r.text("alnum", 2),
  ),
  kind("docker-token", "DOCKER_TOKEN", (r) => p("dckr", "_pat_") + r.text("alnum", 27)),
  kind(
    "slack-token",
    "SLACK_BOT_TOKEN",
    (r) => `${p("xo", "xb-")}${r.text("digits", 12)}-${r.text("digits", 12)}-${r.text("alnum", 24)}`,
  ),
  kind(
    "slack-token",
    "SLACK_APP_TOKEN",
    (r) => `${p("xa", "pp-")}1-A${r.text("upper", 10)}-${r.text("digits", 13)}-${r.text("hex", 64)}`,
  ),
  kind(
    "slack-webhook",
    "SLACK_WEBHOOK_URL",
    (r) =>
      `https://${p("hooks.", "slack.com")}/services/T${r.text("upper", 8)}/B${r.text("upper", 10)}/${r.text("alnum", 24)}`,
  ),
  kind(
    "discord-token",
    "DISCORD_TOKEN",
    (r) =>
      `${p("M", "T")}${r.text("alnum", 24)}.G${r.text("alnum", 5)}.${r.text("url", 37)}${r.text("alnum", 1)}`,
  ),
  kind(
    "discord-webhook",
    "DISCORD_WEBHOOK",
    (r) =>
      `https://${p("discord", ".com/api/web", "hooks")}/${r.text("digits", 18).replace(/^0/, "1")}/${r.text("url", 67)}${r.text("alnum", 1)}`,
  ),
  kind(
    "telegram-token",
    "TELEGRAM_BOT_TOKEN",
    (r) =>
      `${r.text("digits", 9).replace(/^0/, "7")}1:${p("A", "A")}${r.text("url", 32)}${r.text("alnum", 1)}`,
  ),
  kind("stripe-key", "STRIPE_SECRET_KEY", (r) => p("sk", "_live_") + r.text("alnum", 24)),
  kind("stripe-key", "STRIPE_KEY", (r) => p("rk", "_live_") + r.text("alnum", 99)),
  kind("stripe-webhook-secret", "STRIPE_WEBHOOK_SECRET", (r) => p("wh", "sec_") + r.text("alnum", 32)),
  kind("twilio-key", "TWILIO_API_KEY", (r) => p("S", "K") + r.text("hex", 32)),
  kind(
    "sendgrid-key",
    "SENDGRID_API_KEY",
    (r) => `${p("S", "G.")}${r.text("alnum", 22)}.${r.text("alnum", 43)}`,
  ),
  kind("mailgun-key", "MAILGUN_API_KEY", (r) => p("ke", "y-") + r.text("hex", 32)),
  kind("mailchimp-key", "MAILCHIMP_API_KEY", (r) => `${r.text("hex", 32)}-${p("u", "s")}${r.below(20) + 1}`),
  kind(
    "openai-key",
    "OPENAI_API_KEY",
    (r) =>
      p("sk", "-proj-") + r.text("url", 73) + r.text("alnum", 1) + p("T3Blb", "kFJ") + r.text("alnum", 74),
  ),
  kind("openai-key", "OPENAI_API_KEY", (r) => p("s", "k-") + r.text("alnum", 48)),
  kind("anthropic-key", "ANTHROPIC_API_KEY", (r) => p("sk-", "ant-api03-") + r.text("url", 93) + "AA"),
  kind("huggingface-token", "HF_TOKEN HUGGINGFACE_TOKEN", (r) => p("h", "f_") + r.text("alnum", 34)),
  kind("groq-key", "GROQ_API_KEY", (r) => p("gs", "k_") + r.text("alnum", 52)),
  kind("linear-key", "LINEAR_API_KEY", (r) => p("lin", "_api_") + r.text("alnum", 40)),
  kind("notion-token", "NOTION_TOKEN", (r) => p("nt", "n_") + r.text("digits", 11) + r.text("alnum", 35)),
  kind("figma-token", "FIGMA_TOKEN", (r) => p("fig", "d_") + r.text("url", 39) + r.text("alnum", 1)),
  kind("shopify-token", "SHOPIFY_ACCESS_TOKEN", (r) => p("shp", "at_") + r.text("hex", 32)),
  kind("square-token", "SQUARE_ACCESS_TOKEN", (r) => p("sq0", "atp-") + r.text("alnum", 22)),
  kind("digitalocean-token", "DIGITALOCEAN_TOKEN", (r) => p("dop", "_v1_") + r.text("hex", 64)),
  kind("heroku-key", "HEROKU_API_KEY", (r) => p("HR", "KU-") + r.uuid()),
  kind("vercel-token", "VERCEL_TOKEN", (r) => p("vc", "p_") + r.text("alnum", 56)),
  kind("netlify-token", "NETLIFY_AUTH_TOKEN", (r) => p("nf", "p_") + r.text("alnum", 36)),
  kind("supabase-token", "SUPABASE_ACCESS_TOKEN", (r) => p("sb", "p_") + r.text("hex", 40)),
  kind("databricks-token", "DATABRICKS_TOKEN", (r) => p("da", "pi") + r.text("hex", 32)),
  kind("vault-token", "VAULT_TOKEN", (r) => p("hv", "s.") + r.text("alnum", 95)),
  kind(
    "terraform-token",
    "TFE_TOKEN TF_TOKEN_app_terraform_io",
    (r) => `${r.text("alnum", 14)}${p(".atlas", "v1.")}${r.text("alnum", 67)}`,
  ),
  kind("age-key", "SOPS_AGE_KEY", (r) => p("AGE-", "SECRET-", "KEY-1") + r.text("upper", 58)),
  kind("jwt", "SESSION_JWT accessToken", (r) => jwt(r)),
  kind("sentry-token", "SENTRY_AUTH_TOKEN", (r) => p("sntr", "yu_") + r.text("hex", 64)),
  kind(
    "grafana-token",
    "GRAFANA_TOKEN",
    (r) => `${p("gl", "sa_")}${r.text("alnum", 32)}_${r.text("hex", 8)}`,
  ),
  kind(
    "atlassian-token",
    "JIRA_API_TOKEN",
    (r) => p("ATA", "TT3xFfGF0") + r.text("url", 170) + "=" + r.text("HEX", 8),
  ),
  kind("alibaba-access-key", "ALIYUN_ACCESS_KEY_ID", (r) => p("LT", "AI5t") + r.text("alnum", 20)),
  kind(
    "airtable-token",
    "AIRTABLE_TOKEN",
    (r) => `${p("pa", "t")}${r.text("alnum", 14)}.${r.text("hex", 64)}`,
  ),
  kind("postman-key", "POSTMAN_API_KEY", (r) => `${p("PM", "AK-")}${r.text("hex", 24)}-${r.text("hex", 34)}`),
];

export function jwt(random: Random): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const header = encode({ alg: random.pick(["HS256", "RS256"]), typ: "JWT" });
  const payload = encode({
    sub: random.text("digits", 9),
    name: "Mira",
    iat: 1_700_000_000 + random.below(9e7),
  });
  return `${header}.${payload}.${random.text("url", 42)}${random.text("alnum", 1)}`;
}

/** Values that only their name gives away. */
export const namedKinds: readonly Kind[] = [
  kind(
    "aws-secret-key",
    "AWS_SECRET_ACCESS_KEY aws_secret_access_key secretAccessKey",
    (r) => r.text("base64", 39) + r.text("alnum", 1),
  ),
  kind("azure-storage-key", "AZURE_STORAGE_KEY accountKey", (r) => r.base64(64)),
  kind("twilio-auth-token", "TWILIO_AUTH_TOKEN authToken", (r) => r.text("hex", 32)),
  kind("datadog-key", "DD_API_KEY datadog_api_key", (r) => r.text("hex", 32)),
  kind("cloudflare-token", "CLOUDFLARE_API_TOKEN CF_API_KEY", (r) => r.text("url", 39) + r.text("alnum", 1)),
  kind("generic-api-key", "API_KEY apiKey INTERNAL_API_KEY x_api_key", (r) => r.text("alnum", 32)),
  kind("client-secret", "CLIENT_SECRET clientSecret OAUTH_CLIENT_SECRET", (r) => r.text("alnum", 40)),
  kind("signing-secret", "JWT_SECRET SECRET_KEY_BASE SESSION_SECRET", (r) => r.text("hex", 64)),
  kind("encryption-key", "ENCRYPTION_KEY encryptionKey APP_SECRET", (r) => r.base64(32)),
  kind(
    "password",
    "DB_PASSWORD POSTGRES_PASSWORD password SMTP_PASS MYSQL_ROOT_PASSWORD adminPassword",
    (r) => r.password(),
  ),
  kind("password", "REDIS_PASSWORD userPassword ADMIN_PWD passphrase", (r) => r.password()),
  kind("access-token", "ACCESS_TOKEN refresh_token authToken DEPLOY_TOKEN", (r) => r.text("alnum", 44)),
];
