// The page of a replay: whole, closed to the network, true to the numbers, and deaf to what sessions are called.
import { describe, expect, it } from "vitest";
import { Recording, roundModel } from "../../../test/fixtures/replay/session.ts";
import {
  assumptions,
  type PageData,
  policies,
  type Replayed,
  replayPage,
  replayWithCourse,
  totalsByPolicy,
} from "../index.ts";

const hostile = `</title></style><script>alert("x")</script><img src=x onerror='y'>\u202e&amp;`;

function recording(name: string, size: number): Replayed[] {
  const made = new Recording().user("go");
  for (let at = 0; at < 12; at++) made.tool("Read", { file_path: `/f${at}` }, "y".repeat(size)).wait(2);
  const session = made.answer("done").session({ name, fixed: 2_000, window: 60_000 });
  return policies.map((policy) => replayWithCourse(session, policy, { ttl: "5m" }));
}

function pageOf(replayed: readonly Replayed[], more: Partial<PageData> = {}): string {
  return replayPage({
    madeOn: "2026-11-16",
    version: "1.2.3",
    ttl: "5m",
    pricesAsOf: "2026-11",
    models: [roundModel],
    asked: [],
    policies,
    totals: totalsByPolicy(replayed.map(({ result }) => result)),
    replayed,
    leftOut: [],
    assumptions,
    ...more,
  });
}

const two = [...recording("one", 1_000), ...recording("two", 4_000)];
const page = pageOf(two);

/** The numbers of the row of a policy, as a program reads them. */
function figures(part: string, policy: string): Record<string, number> {
  const row = part.match(new RegExp(`<tr[^>]*data-policy="${policy}">.*?</tr>`, "s"))?.[0] ?? "";
  const found = row.matchAll(/<data data-name="(\w+)" value="([^"]+)"/g);
  return Object.fromEntries([...found].map(([, name = "", value]) => [name, Number(value)]));
}

describe("the page", () => {
  it("loads nothing and runs nothing", () => {
    expect(page).toMatch(/^<!doctype html>\n<!-- throughline replay -->\n<html lang="en">/);
    expect(page).toContain(
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">`,
    );
    expect(page).not.toMatch(/<script|<link|<iframe|<img|<a |\bon\w+=|url\(|@import|https?:/i);
  });

  it("has the totals of every rule, to the last digit", () => {
    const table = page.match(/<table id="totals">.*?<\/table>/s)?.[0] ?? "";
    const totals = totalsByPolicy(two.map(({ result }) => result));
    expect(totals).toHaveLength(policies.length);
    for (const total of totals) {
      const shown = figures(table, total.policy);
      const { neverRatio, alwaysRatio, ...numbers } = shown;
      expect(total).toMatchObject(numbers);
      expect([neverRatio, alwaysRatio]).toEqual([total.lookedAt.never.ratio, total.lookedAt.always.ratio]);
      expect(Object.keys(shown)).toHaveLength(14);
    }
  });

  it("has every session under every rule, with its course", () => {
    for (const name of ["one", "two"]) {
      const part = page.match(new RegExp(`<details data-session="${name}".*?</details>`, "s"))?.[0] ?? "";
      expect(part.match(/<path class="s-\w+" d="M/g)).toHaveLength(2);
      for (const { result } of two.filter((each) => each.result.session === name)) {
        const { share, ...numbers } = figures(part, result.policy);
        expect(result).toMatchObject(numbers);
        expect(Object.keys(numbers)).toHaveLength(10);
        expect(share).toBeGreaterThan(0);
      }
    }
  });

  it("has what was assumed, the prices, and whose the rules are", () => {
    for (const line of assumptions) expect(page).toContain(line.replaceAll("'", "&#39;"));
    expect(page).toContain("<td>$12</td>");
    for (const { name, origin } of policies) {
      expect(page).toContain(`>${name}</dt>`);
      if (origin) expect(page).toContain(`as of ${origin.asOf}`);
    }
  });

  it("says what was asked for and what was left out", () => {
    const more = pageOf(two, {
      asked: ["as if on <model>"],
      leftOut: [{ file: "odd<.jsonl", reason: "no model answered (<b>)" }],
    });
    expect(more).toContain("as if on &lt;model&gt;");
    expect(more).toContain("<bdi>odd&lt;.jsonl</bdi>: <bdi>no model answered (&lt;b&gt;)</bdi>");
  });

  it("lets no name of a session, a file or a model out of its place", () => {
    const renamed = recording(hostile, 1_000).map(({ result, course }) => ({
      result: { ...result, model: hostile },
      course,
    }));
    const bad = pageOf(renamed, {
      leftOut: [{ file: hostile, reason: hostile }],
      asked: [hostile],
      models: [{ ...roundModel, id: hostile }],
    });
    expect(bad).not.toMatch(/<script|<img|\u202e/);
    expect(bad.match(/<\/title>|<\/style>/g)).toEqual(["</title>", "</style>"]);
    const tags = (text: string): string[] =>
      [...text.matchAll(/<\/?([a-z0-9]+)/g)].map(([, tag]) => tag ?? "");
    const plain = pageOf(recording("plain", 1_000), {
      leftOut: [{ file: "a", reason: "b" }],
      asked: ["c"],
      models: [roundModel],
    });
    expect(tags(bad)).toEqual(tags(plain));
  });

  it("is made of one policy alone, and of none to compare with", () => {
    const only = two.filter(({ result }) => result.policy === "keep-5");
    expect(pageOf(only, { policies: policies.filter(({ name }) => name === "keep-5") })).toContain("–");
  });

  it("has a part of its own for the dearest sessions alone when there are very many", () => {
    const [one] = two;
    const many = Array.from({ length: 160 }, (_, at) => ({
      course: one?.course as Replayed["course"],
      result: { ...(one?.result as Replayed["result"]), session: `s${at}`, dollars: at },
    }));
    const long = pageOf(many, { policies: policies.slice(0, 1) });
    expect(long.match(/<details /g)).toHaveLength(150);
    expect(long).not.toContain('data-session="s9"');
    expect(long).toContain('data-session="s159"');
  });
});
