// The accounts: what counts, when a budget is used up, and that several processes share it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/fixtures/models/asking.ts";
import { HOUR } from "../lib/index.ts";
import { openSpending } from "./spending.ts";

const noon = Date.parse("2026-11-16T12:00:00Z");
const spent = (tokens: number, purpose = "compact") => ({
  purpose,
  provider: "anthropic",
  model: "m",
  tokens,
});

function at(start = noon) {
  const folder = temporaryFolder();
  let now = start;
  const clock = { now: () => now };
  return {
    folder,
    spending: openSpending(folder, clock),
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

describe("the accounts of a day", () => {
  it("add up what calls took, by what they were for", () => {
    const { spending } = at();
    spending.reserve(100, 0, 1_000)?.record({ ...spent(70), dollars: 0.25 });
    spending.reserve(100, 0, 1_000)?.record({ ...spent(30, "notes"), dollars: 0.5 });
    spending.reserve(100, 0, 1_000)?.record(spent(5, "notes"));
    expect(spending.on()).toEqual({
      day: "2026-11-16",
      calls: 3,
      tokens: 105,
      dollars: 0.75,
      reserved: 0,
      byPurpose: {
        compact: { calls: 1, tokens: 70, dollars: 0.25 },
        notes: { calls: 2, tokens: 35, dollars: 0.5 },
      },
    });
  });

  it("begin anew at midnight in UTC, and keep the day before", () => {
    const { spending, pass } = at();
    spending.reserve(100, 100, 1_000)?.record(spent(100));
    expect(spending.reserve(1, 100, 1_000)).toBeUndefined();
    pass(12 * HOUR);
    expect(spending.reserve(100, 100, 1_000)).toBeDefined();
    expect(spending.on("2026-11-16").tokens).toBe(100);
  });

  it("are private, survive a torn line, and are forgotten after a quarter of a year", () => {
    const { spending, folder, pass } = at();
    spending.reserve(10, 0, 1_000)?.record(spent(10));
    const [name = ""] = readdirSync(folder);
    expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
    writeFileSync(path.join(folder, name), '{"id":"x","tok', { flag: "a" });
    spending.reserve(10, 0, 1_000)?.record(spent(10));
    expect(spending.on().tokens).toBe(20);
    pass(93 * 24 * HOUR);
    spending.reserve(10, 0, 1_000);
    expect(readdirSync(folder)).toEqual(["2027-02-17.jsonl"]);
  });
});

describe("a budget", () => {
  it("counts calls that are under way, until they are settled or lapse", () => {
    const { spending, pass } = at();
    const first = spending.reserve(60, 100, 1_000);
    expect(spending.reserve(60, 100, 1_000)).toBeUndefined();
    expect(spending.on()).toMatchObject({ reserved: 60, calls: 0 });
    first?.record(spent(10));
    expect(spending.reserve(60, 100, 1_000)).toBeDefined();
    expect(spending.reserve(60, 100, 1_000)).toBeUndefined();
    pass(2_000);
    expect(spending.reserve(60, 100, 1_000)).toBeDefined();
  });

  it("of 0 is none", () => {
    const { spending } = at();
    expect(spending.reserve(1e12, 0, 1_000)).toBeDefined();
  });

  it("is never exceeded by processes that take from it at the same time", async () => {
    const folder = temporaryFolder();
    const module = path.resolve(import.meta.dirname, "spending.ts");
    const bundle = path.join(folder, "spending.mjs");
    const { build } = await import("esbuild");
    await build({
      entryPoints: [module],
      outfile: bundle,
      bundle: true,
      format: "esm",
      platform: "node",
    });
    const body = `
      const { openSpending } = await import(${JSON.stringify(pathToFileURL(bundle))});
      const spending = openSpending(${JSON.stringify(path.join(folder, "accounts"))}, { now: () => ${noon} });
      let got = 0;
      for (let i = 0; i < 50; i++) {
        const reservation = spending.reserve(10, 300, 60000);
        if (reservation) { got++; reservation.record({ purpose: "p", provider: "x", model: "m", tokens: 10 }); }
      }
      console.log(got);`;
    const takers = Array.from({ length: 3 }, () =>
      spawn(process.execPath, ["--input-type=module", "-e", body], { stdio: ["ignore", "pipe", "inherit"] }),
    );
    const counts = await Promise.all(
      takers.map(async (taker) => {
        let text = "";
        taker.stdout.on("data", (chunk) => {
          text += chunk;
        });
        await once(taker, "close");
        return Number(text);
      }),
    );
    expect(counts.reduce((all, count) => all + count, 0)).toBeLessThanOrEqual(30);
    expect(counts.reduce((all, count) => all + count, 0)).toBeGreaterThan(0);
    expect(openSpending(path.join(folder, "accounts"), { now: () => noon }).on().tokens).toBeLessThanOrEqual(
      300,
    );
  });
});
