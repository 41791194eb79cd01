// `throughline data retention`: what the rules would let go of, and then doing it.
import { systemClock, ThroughlineError } from "../../../lib/index.ts";
import type { RetentionPreview, RetentionRules } from "../../../store/index.ts";
import { defineCommand } from "../../command.ts";
import { ownConfig } from "../../surroundings.ts";
import { localMinute } from "../../wording.ts";
import { megabytes, told, withDatabase } from "./database.ts";

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ThroughlineError("usage", `--${name} takes a whole number, not ${text}`, {
    fix: "0 keeps everything",
  });
}

function sentences({ rawBefore, allBefore, counts, bytes }: RetentionPreview): string[] {
  if (rawBefore === undefined && allBefore === undefined) return ["No rule says that anything may go."];
  return [
    ...(rawBefore === undefined ? [] : [`events and messages before ${localMinute(rawBefore)}`]),
    ...(allBefore === undefined ? [] : [`everything before ${localMinute(allBefore)}`]),
    `${told(counts)}, about ${megabytes(bytes)}`,
  ];
}

export default defineCommand({
  args: {
    "retention-days": { type: "string", valueHint: "n", description: "days after which everything may go" },
    "raw-retention-days": {
      type: "string",
      valueHint: "n",
      description: "days after which raw events and messages may go",
    },
    "max-bytes": { type: "string", valueHint: "n", description: "size above which the oldest may go" },
    yes: { type: "boolean", description: "delete; without it you only see what would go" },
  },
  examples: [
    { line: "throughline data retention", does: "what your settings would let go of" },
    { line: "throughline data retention --raw-retention-days 90 --yes", does: "let go of old raw events" },
  ],
  async run({ args }) {
    const { store: settings } = ownConfig().values;
    const rules: RetentionRules = {
      days: wholeNumber("retention-days", args["retention-days"]) ?? settings.retentionDays,
      rawDays: wholeNumber("raw-retention-days", args["raw-retention-days"]) ?? settings.rawRetentionDays,
      maxBytes: wholeNumber("max-bytes", args["max-bytes"]) ?? settings.maxBytes,
    };
    const now = systemClock.now();
    const isDue = args.yes === true;
    const result = await withDatabase(async (store) => {
      if (!isDue) return store.previewRetention(rules, now);
      const done = await store.applyRetention(rules, now);
      await store.vacuum();
      return done;
    });
    const isEmpty = Object.values(result.counts).every((count) => count === 0);
    const hint = isDue || isEmpty ? [] : ["Nothing was deleted yet; --yes deletes it for good."];
    return {
      data: { rules, applied: isDue, ...result },
      text: [...sentences(result), ...hint].join("\n"),
    };
  },
});
