// Judges by its name whether a variable, field, flag or header is meant to hold a secret.

/** `password`: anything may be one, even a short word with a digit. `secret`: made by a machine, long and random. */
export type Holds = "password" | "secret";

// Words that may follow without changing what is held: DB_PASSWORD_PROD, apiKeyV2, client_secret_value.
const QUALIFIER =
  /_(?:value|val|string|str|env|raw|prod|production|dev|develop|staging|stage|live|test|old|new|current|primary|secondary|main|default|plain|plaintext|base64|b64|v?\d+|confirm|confirmation|again|repeat|enc|encoded|eu|us|here)$/;

const PASSWORD =
  /(?:^|_)(?:\w*(?:password|passwd|passphrase|passwort|kennwort|contrasena)|\w*pwd|(?:\w*_)?(?:pass(?:code)?|pw)|(?:db|pg|my|mysql|user|ssh|ftp|root|admin|smtp|mail|store|key|require)pass|masterauth|identified_by|storepass|keypass)$/;

const SECRET =
  /(?:^|_)(?:\w*(?:secret|token|apikey|authkey|secretkey|accesskey|privatekey)|(?:api|secret|access|private|auth|authorization|authentication|encrypt|encryption|decryption|signing|sign|signature|master|service|account|storage|shared|session|admin|app|application|consumer|webhook|subscription|jwt|hmac|root|security|server|integration|write|ingest|ingestion|license|deploy|preshared|sas|crypt|crypto|cipher|aes|des|rsa|ed25519|client|role|user|bot|rest|sdk|seed|hash|functions|host|function|system|ssh|tls|ssl|wallet|signer|deployer|owner|vapid_private|s3|aws|gcp|azure|openai|anthropic|stripe|sendgrid|mailgun|twilio|datadog|dd|newrelic|algolia|cloudflare|heroku|github|gitlab)_?key|secret_key_base|\w*credentials?|creds|auth|x_auth|basic_auth|authorization|bearer|jwt|connection_?string|conn_?str|sas_url|session_?cookie|cookie_?secret|recovery_code|otp_seed|client_key_data|app_?secret|secret_?id|salt_key|private_exponent)$/;

// Keys and tokens that are no secrets: they count, sort, page, style or are public.
const HARMLESS =
  /(?:^|_)(?:public|pub|page|next|prev|previous|continuation|cursor|max|min|input|output|prompt|completion|total|num|stop|pad|eos|bos|unk|csrf|xsrf|authenticity|verification|nonce|css|design|primary|foreign|sort|partition|idempotency|cache|cached|lookup|sync|change|delta|publishable|first|last|special|mask|sep|cls|resume|pagination|scroll|syntax|lexer|parser|cancel|cancellation|color|theme|site|localization|i18n|translation|row|group|hash_range|range)_(?:\w+_)?(?:token|key|cookie|secret)$|csrf|xsrf|^(?:\w+_)?(?:token_?type|json_?web_?token|by_?pass|com_?pass|over_?pass|under_?pass|tres_?pass|sur_?pass)$/;

/** The name in one spelling: words in lower case, parted by underscores. */
function spell(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .toLowerCase();
}

function judge(name: string): Holds | undefined {
  if (/[\u3400-\u9fff]/.test(name)) return /密码|口令/.test(name) ? "password" : "secret";
  let words = spell(name);
  for (let times = 0; times < 3 && QUALIFIER.test(words); times += 1) words = words.replace(QUALIFIER, "");
  if (words.length > 80 || HARMLESS.test(words)) return undefined;
  if (PASSWORD.test(words)) return "password";
  // A variable of the environment that is called a key is one.
  return SECRET.test(words) || /^[A-Z][A-Z0-9_]*_KEY$/.test(name) ? "secret" : undefined;
}

const MAX_REMEMBERED = 4_096;
const remembered = new Map<string, Holds | undefined>();

/** What a name promises, or undefined when it promises nothing secret. The same names come again and again. */
export function holds(name: string): Holds | undefined {
  if (name.length < 2 || name.length > 120) return undefined;
  const known = remembered.get(name);
  if (known !== undefined || remembered.has(name)) return known;
  const judged = judge(name);
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.set(name, judged);
  return judged;
}
