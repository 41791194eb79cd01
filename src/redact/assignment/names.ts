// Judges by its name whether a variable, field, flag or header is meant to hold a secret.
import { BoundedMap } from "../../lib/index.ts";

/**
 * `password`: anything may be one, even a short word with a digit. `secret`: made by a machine, long and random.
 * `key`: many things are called so; only a value that nothing but a generator makes counts.
 */
export type Holds = "password" | "secret" | "key";

// Words that may follow without changing what is held: DB_PASSWORD_PROD, apiKeyV2, client_secret_value.
const QUALIFIER =
  /_(?:value|val|string|str|env|raw|prod|production|dev|develop|staging|stage|live|test|old|new|current|primary|secondary|main|default|plain|plaintext|base64|b64|v?\d+|confirm|confirmation|again|repeat|enc|encoded|eu|us|here|private|text|cleartext|clear|hex|literal)$/;

const PASSWORD =
  /(?:^|_)(?:psk|pre_?shared_?key|wpa_?key|wifi_?key|unlock_?code|senha|wachtwoord|haslo|parola|heslo|mot_?de_?passe|\w*(?:password|passwd|passphrase|passwort|kennwort|contrasena)|\w*pwd|(?:\w*_)?(?:pass(?:code)?|pw)|(?:db|pg|my|mysql|user|ssh|ftp|root|admin|smtp|mail|store|key|require)pass|masterauth|identified_by|\w*storepass|\w*keypass|(?:bind|root|rootdn|olcroot|admin)pw|community|pass_?key|mdp|geslo|salasana|lozinka|jelszo|sifre)$/;

const SECRET_NAME =
  /(?:^|_)(?:\w*(?:secret|token|apikey|authkey|secretkey|accesskey|privatekey)|(?:api|secret|access|private|auth|authorization|authentication|encrypt|encryption|decryption|signing|sign|signature|master|service|account|storage|shared|session|admin|app|application|consumer|webhook|subscription|jwt|hmac|root|security|server|integration|write|ingest|ingestion|license|deploy|preshared|sas|crypt|crypto|cipher|aes|des|rsa|ed25519|client|role|user|bot|rest|sdk|seed|hash|functions|host|function|system|ssh|tls|ssl|wallet|signer|deployer|owner|vapid_private|s3|aws|gcp|azure|openai|anthropic|stripe|sendgrid|mailgun|twilio|datadog|dd|newrelic|algolia|cloudflare|heroku|github|gitlab)_?key|secret_key_base|\w*credentials?|creds|auth|x_auth|basic_auth|authorization|bearer|jwt|connection_?string|conn_?str|sas_url|session_?cookie|cookie_?secret|recovery_code|otp_seed|client_key_data|app_?secret|secret_?id|salt_key|private_exponent|(?:sdk|cloud|access|secret|client)_sk|\w*_?oauth|unseal_key|serial_key|\w*_salt|sonar_login|otp|totp|mfa_seed)$/;

// Keys and tokens that are no secrets: they count, sort, page, style or are public.
const HARMLESS =
  /(?:^|_)(?:public|pub|page|next|prev|previous|continuation|cursor|max|min|input|output|prompt|completion|total|num|stop|pad|eos|bos|unk|csrf|xsrf|authenticity|verification|nonce|css|design|primary|foreign|sort|partition|idempotency|cache|cached|lookup|sync|change|delta|publishable|first|last|special|mask|sep|cls|resume|pagination|scroll|syntax|lexer|parser|cancel|cancellation|color|theme|site|localization|i18n|translation|row|group|hash_range|range)_(?:\w+_)?(?:token|key|cookie|secret)$|csrf|xsrf|^(?:\w+_)?(?:token_?type|json_?web_?token|by_?pass|com_?pass|over_?pass|under_?pass|tres_?pass|sur_?pass)$/;

/** Keys that find something in a table, a file, a keyboard or a cache. */
const LOOKUP_KEY =
  /(?:^|_)(?:object|item|entry|record|json|map|dict|query|message|lock|dedup|dedupe|asset|chunk|content|build|file|blob|index|node|tree|element|component|route|field|column|property|schema|type|option|feature|flag|setting|config|metric|trace|span|log|event|job|task|queue|topic|stream|stats?|state|react|list|vocab|hot|shortcut|arrow|enter|escape|tab|shift|meta|modifier|natural|composite|candidate|unique|shard|routing|fingerprint|etag|digest|checksum|commit|known|missing|unknown|expected|invalid|duplicate|string|number|array)_?key$/;

/** The name in one spelling: words in lower case, parted by underscores. */
function spell(name: string) {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .toLowerCase();
}

/** Words for passwords and keys in scripts that know no underscores. */
const FOREIGN_PASSWORD = /密码|密碼|口令|パスワード|비밀번호|парол|contrase|mot de passe/i;
const FOREIGN_SECRET = /[\u3400-\u9fff]/;

function judge(name: string): Holds | undefined {
  if (FOREIGN_PASSWORD.test(name)) return "password";
  if (FOREIGN_SECRET.test(name)) return "secret";
  let words = spell(name);
  for (let times = 0; times < 3 && QUALIFIER.test(words); times += 1) words = words.replace(QUALIFIER, "");
  if (words.length > 80 || HARMLESS.test(words)) return undefined;
  if (PASSWORD.test(words)) return "password";
  // A variable of the environment that is called a key is one.
  if (SECRET_NAME.test(words) || /^[A-Z][A-Z0-9_]*_KEY$/.test(name)) return "secret";
  return /key$|(?:^|_)pat$/.test(words) && !LOOKUP_KEY.test(words) ? "key" : undefined;
}

const PLURAL =
  /(?:pass(?:word|wd|phrase|code)|pwd|secret|token|key|credential|pat|psk|contraseña|senha)(?=e?s$)/i;

/** The same names come again and again. */
function remembering(judgement: (name: string) => Holds | undefined): (name: string) => Holds | undefined {
  const remembered = new BoundedMap<string, Holds | undefined>(4_096);
  return (name) => {
    if (name.length < 2 || name.length > 120) return undefined;
    return remembered.remember(name, () => judgement(name));
  };
}

/** What a name promises, or undefined when it promises nothing secret. */
export const holds = remembering(judge);

/** What a name promises of each thing in a list under it. Lists of keys are mostly lists of names. */
export const holdsListed = remembering((name) => {
  if (/keys$/i.test(name)) return "key";
  return judge(PLURAL.test(name) ? name.replace(/e?s$/i, "") : name);
});
