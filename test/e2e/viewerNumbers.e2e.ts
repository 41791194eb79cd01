// Every number on Home, Stats, the list of sessions and a session's page is the one that the command line prints as JSON for the same
// store, formatted by the page's own functions.
import { describe, expect, it } from "vitest";
import { bytes, compactCount, dollars, duration, percent } from "../../viewer/src/components/format.ts";
import { browserProblem } from "./viewer/browser.ts";
import { type SampleScene, sampleScene } from "./viewer/sampleData.ts";

const problem = browserProblem();

let scene: SampleScene;

const textOf = (selector: string): Promise<string[]> => scene.page.locator(selector).allInnerTexts();
const asked = <T>(...args: string[]): T => JSON.parse(scene.world.throughline(...args, "--json")) as T;

interface Sums {
  readonly requests: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly keptOutTokens: number;
  readonly dollars?: number;
}

interface Usage {
  readonly today: Sums;
  readonly week: Sums & { readonly lanes: readonly (Sums & { lane: string; sessions: number })[] };
  readonly unread: number;
  readonly saved: Record<"tokens" | "dollars" | "compactions" | "results" | "cacheShare", number>;
}

interface SessionUsage {
  readonly cost: Sums;
  readonly compactions: number;
  readonly turns: readonly (Sums & { calls: number; failed: number; ms: number })[];
}

interface StoreStats {
  readonly counts: Record<string, number>;
  readonly bytes: number;
  readonly freeBytes: number;
  readonly observationsByType: Record<string, number>;
  readonly projects: readonly { sessions: number }[];
  readonly days: readonly { day: string; observations: number }[];
}

/** Titles of bars are not visible text. */
const dayTitles = "[...document.querySelectorAll('.day-bars title')].map((title) => title.textContent)";

/** A size grows by pages of the write-ahead log while one looks. */
const sizeOf = (text: string | undefined): number => Number.parseFloat(text ?? "");

const promptTokens = (sums: Sums): number =>
  sums.inputTokens + (sums.cacheReadTokens ?? 0) + (sums.cacheWriteTokens ?? 0);

async function counted(): Promise<void> {
  await expect.poll(() => scene.page.getByText("Still counting").count(), { timeout: 30_000 }).toBe(0);
}

describe.skipIf(problem !== undefined)("the numbers of the page", () => {
  scene = sampleScene();

  it("on Home are those of usage, worker status and memory", async () => {
    await scene.visit("#/home");
    await counted();
    const usage = asked<Usage>("usage");
    const periods = await textOf(".period");
    for (const [at, sums] of [usage.today, usage.week].entries()) {
      expect(periods[at]).toContain(dollars(sums.dollars ?? 0));
      expect(periods[at]).toContain(`${compactCount(sums.requests)} requests`);
      expect(periods[at]).toContain(`${compactCount(sums.inputTokens + sums.outputTokens)} tokens`);
      expect(periods[at]).toContain(`${compactCount(sums.keptOutTokens)} tokens kept out`);
    }
    const lanes = usage.week.lanes.map((lane) => [
      lane.lane,
      String(lane.sessions),
      compactCount(lane.requests),
      compactCount(lane.inputTokens + lane.outputTokens),
      compactCount(lane.keptOutTokens),
      dollars(lane.dollars ?? 0),
    ]);
    const shown = await textOf(".card table tbody tr");
    expect(shown.map((row) => row.split(/\s*\t\s*/))).toEqual(lanes);
    await scene.page.getByText(`Of ${usage.unread} sessions`).waitFor();
    const { hooks } = asked<{ hooks: { p50: number; p95: number } }>("worker", "status");
    expect(await textOf(".health")).toEqual([
      expect.stringContaining(`p50 ${duration(hooks.p50)}, p95 ${duration(hooks.p95)}`),
    ]);
  });

  it("on Stats are those of data stats, worker status and usage", async () => {
    await scene.visit("#/stats");
    await scene.page.locator(".figure").first().waitFor();
    await counted();
    const store = asked<StoreStats>("data", "stats");
    const { saved } = asked<Usage>("usage");
    const status = asked<{
      hooks: { p50: number; p95: number; count: number };
      queue: Record<"ready" | "leased" | "delayed" | "dead", number>;
      pid: number;
      port: number;
    }>("worker", "status");
    const figures = await textOf(".figure strong");
    expect(figures.slice(0, 5)).toEqual([
      compactCount(saved.tokens),
      dollars(saved.dollars),
      percent(saved.cacheShare),
      `${Math.round(status.hooks.p50)} / ${Math.round(status.hooks.p95)} ms`,
      compactCount(status.queue.ready + status.queue.leased + status.queue.delayed),
    ]);
    expect(Math.abs(sizeOf(figures[5]) - sizeOf(bytes(store.bytes)))).toBeLessThan(1);
    const facts = (await textOf("dl.facts dd")).map((text) => text.replaceAll(",", ""));
    const counts = ["sessions", "prompts", "observations", "summaries", "messages", "events"];
    expect(facts.slice(0, 8).map(Number)).toEqual([
      ...counts.map((name) => store.counts[name]),
      saved.compactions,
      saved.results,
    ]);
    expect(facts.join()).toContain(`${status.pid} · 127.0.0.1:${status.port}`);
    const bars = (await textOf(".named-bars li .num")).map(Number);
    const types = ["decision", "bugfix", "feature", "refactor", "discovery", "change"];
    const projects = store.projects.map(({ sessions }) => sessions).toSorted((a, b) => b - a);
    expect(bars).toEqual([
      ...types.map((type) => store.observationsByType[type] ?? 0),
      ...projects.slice(0, 8),
    ]);
    const byDay = (await scene.page.evaluate<string[]>(dayTitles)).map((title) =>
      Number(/\d+$/.exec(title)?.[0]),
    );
    const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
    expect(sum(byDay)).toBe(sum(store.days.map(({ observations }) => observations)));
  });

  it("on a session's page and in the list are those of usage --session", async () => {
    const { session } = scene.world.place;
    const { cost, compactions, turns } = asked<SessionUsage>("usage", "--session", session);
    await scene.visit(`#/session/${session}`);
    await scene.page.locator(".turn-line .cost").nth(5).waitFor();
    await scene.page.locator(".u-over").waitFor();
    const line = await textOf(".figure-line li");
    expect(line).toEqual([
      `${dollars(cost.dollars ?? 0)} cost`,
      `${cost.requests} requests`,
      `${compactCount(promptTokens(cost))} tokens in`,
      `${compactCount(cost.outputTokens)} tokens out`,
      `${percent(cost.cacheReadTokens / promptTokens(cost))} from the cache`,
      expect.stringContaining("from first to last"),
      `${turns.length} turns`,
      `${compactions} compaction`,
    ]);
    const cells = async (name: string): Promise<string[]> => textOf(`.turn-line .figure-cell.${name}`);
    expect(await cells("ms")).toEqual(turns.map(({ ms }) => duration(ms)));
    expect(await cells("tokens")).toEqual(
      turns.map((turn) => compactCount(turn.inputTokens + turn.outputTokens)),
    );
    expect(await cells("cost")).toEqual(turns.map((turn) => dollars(turn.dollars ?? 0)));
    expect(await cells("calls")).toEqual(
      turns.map(({ calls, failed }) =>
        calls === 0 ? "" : failed > 0 ? `${calls} · ${failed} ✗` : String(calls),
      ),
    );
    await scene.visit("#/sessions");
    const row = scene.page.locator("a.line", { hasText: "The 00:35 boat" });
    const [card] = await row.allInnerTexts();
    for (const part of [
      dollars(cost.dollars ?? 0),
      compactCount(promptTokens(cost) + cost.outputTokens),
      `${compactions} compaction`,
    ])
      expect(card).toContain(part);
  });

  it("of a preview are those of compact --preview, and of a replay those of replay", async () => {
    const { page, world } = scene;
    const { session, transcript } = world.place;
    const { receipt } = asked<{ receipt: { tokens: Record<"before" | "after", number> } }>(
      "compact",
      transcript,
    );
    await scene.visit(`#/session/${session}?view=window`);
    await page.getByRole("button", { name: "Preview" }).click();
    const sizes = `${compactCount(receipt.tokens.before)} → ${compactCount(receipt.tokens.after)}`;
    await page.locator(".saved", { hasText: sizes }).waitFor();
    const { totals } = asked<{
      totals: readonly {
        policy: string;
        dollars: number;
        compactions: number;
        retention: number;
        billRatio: number;
        lookedAt: Record<"never" | "half" | "always", { ratio: number }>;
      }[];
    }>("replay", transcript);
    await scene.visit(`#/session/${session}?view=replay`);
    await page.getByRole("button", { name: "Replay", exact: true }).last().click();
    await page.locator("tr[data-policy=thrifty]").waitFor({ timeout: 60_000 });
    expect(await page.locator("tr[data-policy]").count()).toBe(totals.length);
    for (const { policy, lookedAt, ...total } of totals) {
      const { never, half, always } = lookedAt;
      expect(await textOf(`tr[data-policy="${policy}"] td:not(.wide)`)).toEqual([
        ...[never, half, always].map(({ ratio }) => percent(ratio)),
        percent(total.billRatio),
        dollars(total.dollars),
        String(total.compactions),
        percent(total.retention),
      ]);
    }
  });
});
