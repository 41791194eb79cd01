// Keeps the numbers on docs/pipeline.md those of the code.
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { seedSettings, thriftySettings } from "../src/pipeline/index.ts";
import { lookupModel } from "../src/tokens/index.ts";
import { markdownTable, withGenerated } from "./generated.ts";

const page = path.resolve(import.meta.dirname, "../docs/pipeline.md");

/** Every setting of the first four levels, with what it means. */
const meanings: Readonly<Record<string, string>> = {
  "budget.resultLimit": "characters a result may have",
  "budget.toolLimits": "other limits by tool",
  "budget.errorLimit": "characters a failed call's result may have",
  "budget.stays":
    "requests a result is expected to stay; above its limit it is cut only if that pays, 0: always",
  "budget.messageLimit": "characters of all results of one message",
  "budget.preview": "size of a preview",
  "budget.previewStyle": "`head`: the first bytes; `typed`: by kind, with the handle",
  "budget.rereads": "show a file that is read again as a difference",
  "budget.exempt": "tools whose results stay",
  "snip.tags": "tags behind user inputs",
  "microcompact.tools": "tools whose old results are cleared",
  "microcompact.exempt": "tools whose old results stay",
  "microcompact.keepRecent": "newest results that stay",
  "microcompact.keepRecalled":
    "results that follow a recalled text before it leaves again while that is cheap; 0: it stays",
  "microcompact.idle": "milliseconds of silence, or `ttl`: a cold cache",
  "microcompact.smallest": "characters below which a result stays",
  "microcompact.handles": "the handle behind the placeholder",
  "microcompact.observations": "one line behind the placeholder: what was done and how it came out",
  "microcompact.batch": "results beyond the newest that are cleared together; 0: never for their number",
  "microcompact.server": "directives to the API",
  "microcompact.serverTrigger": "prompt tokens from which the API clears",
  "microcompact.serverClearAtLeast": "tokens that it clears at least",
  "collapse.enabled": "collapse early spans, and compact only what would not fit",
  "collapse.arm": "share of the room from which spans are staged",
  "collapse.spawn": "share from which they go",
  "collapse.target": "share that the conversation then takes at most",
  "collapse.growth": "share it grows before spans are staged again",
  "collapse.tail": "tokens of newest messages that stay",
  "collapse.smallest": "tokens below which a span stays",
  "collapse.largest": "tokens up to which rounds are gathered into a span",
  "collapse.summary": "tokens of a placeholder",
  "collapse.summaryShare": "the same as a share of its span",
  "autocompact.enabled": "compact what would outgrow the window",
  "autocompact.outputReserve": "tokens that stay free for the answer",
  "autocompact.buffer": "tokens before that at which compaction begins",
  "autocompact.at":
    "compact earlier: at a percentage of the window up to 100, at tokens above; 0: not earlier",
  "autocompact.target": "share of the room that a compacted conversation may take",
  "autocompact.whenCold": "compact also where a user turn begins with a cold cache",
  "autocompact.coldFrom": "tokens of a conversation from which on that is done",
  "autocompact.coldTo": "tokens that it takes then at most",
  "autocompact.whenWarm":
    "the same while the cache is warm, once the reads beyond that size have cost as much",
  "autocompact.tail": "most tokens of newest messages that stay",
  "autocompact.summary": "most tokens of a summary made without a model",
  "autocompact.attachments": "most tokens of attachments",
  "autocompact.perTurn": "compactions in one turn with little in between",
  "autocompact.failures": "failures in a row after which no model is asked",
  "autocompact.coolDown": "milliseconds until one is asked again",
  "autocompact.least": "fewer tokens are no room for a conversation",
  "economics.warmEdits": "edits while the cache is warm",
  "economics.horizon": "requests that are expected to follow",
  "economics.leastAtTurn": "tokens a warm edit frees at least, at the start of a turn",
  "economics.leastInTurn": "the same in the middle of one",
  "economics.dropThinking": "earlier turns' thinking goes along",
};

const groups = ["budget", "snip", "microcompact", "collapse", "autocompact", "economics"] as const;

function cell(value: unknown): string {
  if (typeof value === "number") return value.toLocaleString("en-US");
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map((name) => `\`${name}\``).join(" ");
  if (typeof value === "string") return `\`${value}\``;
  const pairs = Object.entries(value as object).map(([name, limit]) => `${name} ${cell(limit)}`);
  return pairs.join(", ") || "none";
}

function settingsTable(): string {
  const rows = groups.flatMap((group) =>
    Object.keys(seedSettings[group]).map((key) => {
      const name = `${group}.${key}`;
      const of = (settings: object): string => cell((settings as Record<string, unknown>)[key]);
      return [`\`${name}\``, of(seedSettings[group]), of(thriftySettings[group]), meanings[name] ?? ""];
    }),
  );
  return markdownTable(["setting", "seed", "thrifty", "meaning"], rows);
}

function breakEvenTable(): string {
  const rows = ["claude-opus-4-6", "claude-opus-5-5", "claude-fable-5-1"].map((name) => {
    const [price] = lookupModel(name).prices;
    if (!price) throw new Error(`${name} has no price`);
    const factor = (write: number): string =>
      `${Number(((write - price.cacheRead) / price.cacheRead).toFixed(2))} · S/R`;
    return [
      `\`${name}\``,
      `${Number((price.cacheRead / price.input).toFixed(4))} ×`,
      factor(price.cacheWrite5m),
      factor(price.cacheWrite1h),
    ];
  });
  return markdownTable(["for example", "a cache read costs", "N, 5 minutes", "N, an hour"], rows);
}

describe("docs/pipeline.md", () => {
  it("has the numbers of the code", async () => {
    const text = readFileSync(page, "utf8");
    const current = withGenerated(
      withGenerated(text, "breakeven", breakEvenTable()),
      "settings",
      settingsTable(),
    );
    await expect(current).toMatchFileSnapshot(page);
  });

  it("says of every setting what it means", () => {
    const names = groups.flatMap((group) => Object.keys(seedSettings[group]).map((key) => `${group}.${key}`));
    expect(names.filter((name) => !(name in meanings))).toEqual([]);
    expect(Object.keys(meanings).filter((name) => !names.includes(name))).toEqual([]);
  });

  it("names the notes and markers as they are sent", async () => {
    const { CLEARED, CONTEXT_MANAGEMENT_BETA } = await import("../src/pipeline/index.ts");
    expect(readFileSync(page, "utf8")).toContain(CLEARED);
    expect(CONTEXT_MANAGEMENT_BETA).toBe("context-management-2025-06-27");
  });
});
