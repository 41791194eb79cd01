// The full scan by example: what is hidden, what stays, and what the marks look like.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactText, redactValue } from "./index.ts";

/** Random-looking text, so that this file holds nothing a scanner would report. */
const drawn = (length: number): string =>
  Array.from({ length }, (_, at) => "k7Qz3mXw9Lp2Rt5Vb8Nc4Hd6Jf1Gs0Ya"[(at * 7 + (at >> 3)) % 32]).join("");
const github = `${"gh"}p_${drawn(36)}`;
const dashes = "-".repeat(5);
const pem = (join: string, prefix = ""): string =>
  [
    `${dashes}BEGIN RSA ${"PRIVATE"} KEY${dashes}`,
    `MII${drawn(61)}`,
    drawn(64),
    `${dashes}END RSA ${"PRIVATE"} KEY${dashes}`,
  ]
    .map((line) => prefix + line)
    .join(join);

describe("a redacted text", () => {
  it("has a mark where the secret was, and says where that is", () => {
    const text = `export GITHUB_TOKEN=${github} # mine`;
    const start = text.indexOf(github);
    expect(redactText(text)).toEqual({
      text: "export GITHUB_TOKEN=[redacted: github-token] # mine",
      found: [{ kind: "github-token", start, end: start + github.length }],
    });
  });

  it.each([
    `the password: ${"hunter"}2Zx9Qq77LongOne!`,
    `first ${github} and then ${github.replace("k", "j")} too`,
    `Cookie: sid=${drawn(24)}; theme=dark`,
    `PHPSESSID=${drawn(26)}`,
  ])("loses its secrets every time, however often the same text comes: %s", (text) => {
    const first = redactText(text);
    expect(first.found).not.toEqual([]);
    expect([redactText(text), redactText(text)]).toEqual([first, first]);
  });

  it("keeps what does no harm of an address", () => {
    const { text } = redactText(`DATABASE_URL=${"postgres"}://app:${drawn(12)}@db.internal:5432/shop`);
    expect(text).toBe("DATABASE_URL=postgres://[redacted: database-url]@db.internal:5432/shop");
  });

  it("loses a key in armour whole, however it is quoted, and keeps JSON JSON", () => {
    const json = `{"private_key":"${pem("\\n")}\\n","id":1}`;
    expect(JSON.parse(redactText(json).text)).toEqual({ private_key: "[redacted: private-key]\n", id: 1 });
    expect(redactText(`a\n${pem("\n", "+ ")}\nb`).text).toBe("a\n+ [redacted: private-key]\nb");
    expect(redactText(`${pem("\n").slice(0, -20)}`).text).toBe("[redacted: private-key]");
  });

  it("hides a password to the end of its quotes, whatever is in it", () => {
    expect(redactText('"password": "a,b;c&d=1 is no end"').text).toContain("is no end");
    expect(redactText('{"password":"Tu,lpe;7&x=1!"}').text).toBe('{"password":"[redacted: password]"}');
    expect(redactText("?token=k7Qz3mXw9Lp2Rt5V&page=2").text).toBe("?token=[redacted: secret]&page=2");
  });

  it.each([
    "const token = process.env.GITHUB_TOKEN;",
    "password: string",
    `DB_PASSWORD=${"$"}{DB_PASSWORD}`,
    "API_KEY=<your-api-key>",
    'password: "********"',
    "max_tokens: 4096",
    "http://localhost:5173/@vite/client",
    "--- PASS: TestPasswordLogin2",
    "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "session_id=28c304f6-3c5f-4539-af1d-07ae450e639d",
    "密码不能为空，请输入密码。",
  ])("leaves %j alone", (text) => {
    expect(redactText(text)).toEqual({ text, found: [] });
  });

  it("is the same when redacted again", () => {
    const pieces = [
      github,
      `password=${drawn(12)}`,
      "<private>",
      "</private>",
      pem("\n"),
      "Bearer ",
      drawn(40),
      " ",
      "\n",
      '"',
      "token: ",
      "://",
      "a:b1c2d3@h/",
      "[redacted: private]",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (parts) => {
        const once = redactText(parts.join("")).text;
        expect(redactText(once).text).toBe(once);
      }),
    );
  });

  it("reports spans that are in order, apart and inside the text", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(github, "key=", drawn(20), "<private>x</private>", " ", "@", "://u:", "\n")),
        (parts) => {
          const text = parts.join("");
          let at = 0;
          for (const { start, end } of redactText(text).found) {
            expect(start).toBeGreaterThanOrEqual(at);
            expect(end).toBeGreaterThan(start);
            at = end;
          }
          expect(at).toBeLessThanOrEqual(text.length);
        },
      ),
    );
  });

  it.each([
    "a",
    "A3-",
    "eyJ",
    "://",
    "a:",
    "<private",
    "sk-",
    "password=",
    '"password": "',
    "-----BEGIN ",
    "x=y;",
    "\\",
    "key ",
    "1111 ",
    "Bearer ",
    "cookie: a=",
    "mysql -p ",
    "&lt;private ",
  ])("comes to an end on many repetitions of %j", (piece) => {
    const text = piece.repeat(Math.ceil(200_000 / piece.length));
    expect(redactText(text).text.length).toBeGreaterThan(0);
  });
});

describe("a redacted value", () => {
  it("keeps its shape and takes the names of fields into account", () => {
    const value = {
      user: "mira",
      password: "hunter2!",
      nested: [{ apiKey: drawn(32), n: 1 }, null, true],
      session_id: "28c304f6-3c5f-4539-af1d-07ae450e639d",
    };
    expect(redactValue(value)).toEqual({
      value: {
        ...value,
        password: "[redacted: password]",
        nested: [{ apiKey: "[redacted: secret]", n: 1 }, null, true],
      },
      found: ["password", "secret"],
    });
  });

  it("reads a name and its value from a pair", () => {
    expect(
      redactValue([
        { name: "DB_PASSWORD", value: "Tulpe!2024" },
        { name: "MODE", value: "fast" },
      ]).value,
    ).toEqual([
      { name: "DB_PASSWORD", value: "[redacted: password]" },
      { name: "MODE", value: "fast" },
    ]);
  });

  it("finds what spans the lines of a list", () => {
    const { value } = redactValue({ lines: ["+a", ...pem("\n", "+").split("\n"), "+b"] });
    expect(JSON.stringify(value)).not.toContain("MII");
    expect(value.lines).toHaveLength(6);
    expect([value.lines[0], value.lines[5]]).toEqual(["+a", "+b"]);
  });

  it("hides secrets in names, and survives strange names and depth", () => {
    const value: unknown = JSON.parse(`{"__proto__":{"${github}":1}}`);
    expect(JSON.stringify(redactValue(value).value)).toBe('{"__proto__":{"[redacted: github-token]":1}}');
    let deep: unknown = "x";
    for (let depth = 0; depth < 5_000; depth += 1) deep = [deep];
    expect(JSON.stringify(redactValue(deep).value)).toContain("nested too deep");
  });
});
