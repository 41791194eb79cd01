// Secrets in notations that once let them slip, and look-alikes that were once hidden.
import { describe, expect, it } from "vitest";
import { redactText, redactValue } from "./index.ts";
import { quickRedact } from "./quick.ts";

/** Random-looking text, so that this file holds nothing a scanner would report. */
const drawn = (length: number, from = 0): string =>
  Array.from(
    { length },
    (_, at) => "k7Qz3mXw9Lp2Rt5Vb8Nc4Hd6Jf1Gs0Ya"[((at + from) * 7 + (at >> 3)) % 32],
  ).join("");
const one = `${drawn(11)}!`;
const two = `${drawn(11, 5)}?`;
const key = drawn(32);
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const esc = String.fromCharCode(27);

const notations: readonly (readonly [what: string, text: string, ...secrets: string[]])[] = [
  ["a block scalar", `db:\n  password: |\n    ${one}\n  port: 5432`, one],
  ["a folded scalar", `api_token: >-\n  ${key}\n`, key],
  ["an array of JSON", `{"passwords":["${one}","${two}"]}`, one, two],
  ["an array of TOML", `passwords = ["${one}", "${two}"]`, one, two],
  ["a list in a variable", `API_PASSWORDS=${one},${two}`, one, two],
  ["a quoted list in a variable", `export PASSWORDS="${one},${two}"`, one, two],
  ["a list of YAML", `passwords:\n  - ${one}\n  - ${two}\nregion: eu`, one, two],
  ["the arguments of a command", `"args": ["--user", "mira", "--password", "${one}"]`, one],
  ["CSV under a head", `name,user,password\nShop,mira,${one}\nMail,tom,${two}\n`, one, two],
  ["a table of Markdown", `| User | Password |\n|---|---|\n| mira | ${one} |\n`, one],
  ["a table of psql", ` id | password\n----+----------\n  1 | ${one}\n  2 | ${two}\n`, one, two],
  ["aligned columns", `USER    PASSWORD        HOST\nmira    ${one}    db1\n`, one],
  ["an aligned pair", `Username   mira\nPassword   ${one}\nURL        https://acme.dev\n`, one],
  ["an insert", `INSERT INTO u (name, password) VALUES ('mira', '${one}'), ('tom', '${two}');`, one, two],
  ["rows that are copied", `COPY u (id, password) FROM stdin;\n1\t${one}\n2\t${two}\n\\.\n`, one, two],
  ["coloured output", `${esc}[36mDB_PASSWORD${esc}[0m=${esc}[32m${one}${esc}[0m\n`, one],
  ["escaped colours", `\\u001b[36mDB_PASSWORD\\u001b[0m=\\u001b[32m${one}\\u001b[0m`, one],
  ["kubectl --from-literal", `kubectl create secret generic a --from-literal=db-password=${one}`, one],
  ["psk", `network={\n  ssid="Office"\n  psk="${one}"\n}`, one],
  ["bytes of Go", `var apiSecret = []byte("${key}")`, key],
  ["a string of Rust", `let password = String::from("${one}");`, one],
  ["a key of any service", `const fastlyKey = "${key}";`, key],
  ["a key in a query", `https://maps.acme.dev/geocode?address=Berlin&key=${key}`, key],
  ["NuGet", `<add key="ClearTextPassword" value="${one}" />`, one],
  ["digits under a name", "SMS_API_TOKEN=73920184756102938475", "73920184756102938475"],
  [
    "data of Kubernetes before its kind",
    `apiVersion: v1\ndata:\n  user: ${base64("mira-the-user")}\nkind: Secret\n`,
    base64("mira-the-user"),
  ],
  ["data under a name alone", `data:\n  password: ${base64("Tulpe-7")}\n`, base64("Tulpe-7")],
  ["user and password of a call", `requests.get(url, auth=("mira", "${one}"))`, one],
  ["a form with parts", `form-data; name="password"\r\n\r\n${one}\r\n--x`, one],
  ["a sentence", `Please use ${one} as the password.`, one],
  ["a sentence that changes it", `I reset the admin password to ${one} yesterday.`, one],
  ["the line below", `Use this password to log in:\n\n${one}\n`, one],
  ["other languages", `Пароль: ${one}\nMot de passe : ${two}\n`, one, two],
];

describe("the full scan hides", () => {
  it.each(notations)("%s", (_, text, ...secrets) => {
    const redacted = redactText(text).text;
    for (const secret of secrets) expect(redacted).not.toContain(secret);
    expect(redactText(redacted).text).toBe(redacted);
  });

  it("what comes again, before and after the place that gave it away", () => {
    const text = `retry with ${one} failed\nmysql --password=${one} shop\nand \\n${one} again`;
    expect(redactText(text).text).not.toContain(one);
    expect(redactText(text).found).toHaveLength(3);
  });

  it("what comes again in another field of an event", () => {
    const { value } = redactValue({
      output: [`trying ${one}`],
      input: { env: { DB_PASSWORD: one } },
      note: one,
    });
    expect(JSON.stringify(value)).not.toContain(one);
  });

  it("lists, arguments and numbers of a JSON value under their names", () => {
    const value = {
      passwords: [one, two],
      argv: ["login", "--password", one],
      api_token: 739_201_847_561_029,
    };
    expect(redactValue(value).value).toEqual({
      passwords: ["[redacted: password]", "[redacted: password]"],
      argv: ["login", "--password", "[redacted: password]"],
      api_token: "[redacted: secret]",
    });
  });

  it("a column of a table whose lines are kept as a list", () => {
    const lines = ["name,password", `mira,${one}`, `tom,${two}`];
    expect(redactValue({ lines }).value).toEqual({
      lines: ["name,password", "mira,[redacted: password]", "tom,[redacted: password]"],
    });
  });
});

describe("the hook hides", () => {
  it("what comes again in the payload, since the full scan could not recognise it any more", () => {
    const payload = quickRedact({ a: `${one} was refused`, b: { c: `DB_PASSWORD=${one}` } });
    expect(JSON.stringify(payload)).not.toContain(one);
  });
});

describe("the full scan leaves alone", () => {
  it.each([
    "SessionID=2026-01-22-test-session-1",
    "key: secret/mysecret",
    "tokens: 200000, max_tokens=4096",
    "name, password and token are required",
    "| password | string | The password of the user |",
    "name,role\nmira,admin2\n",
    "INSERT INTO users (name, password) VALUES (?, ?);",
    'password = getenv("DB_PASSWORD1")',
    "const token = await getToken2();",
    'cacheKey: "9f86d081884c7d659a2feaa0c55ad015"',
    "Cache restored from key: Linux-node-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "apiVersion: v1\nkind: ConfigMap\ndata:\n  level: information\n---\nkind: Secret\nmetadata:\n  name: a\n",
    "const isValid = password === confirmPassword2;",
    "ssh -p 2222 deploy@host1 && mkdir -p src/components/v2",
    "git@github.com:acme/shop2.git and deploy@host.acme.dev:releases",
  ])("%j", (text) => {
    expect(redactText(text)).toEqual({ text, found: [] });
  });
});
