// `throughline data check`: whether the database is whole.
import { defineCommand } from "../../command.ts";
import { exitCodes } from "../../output.ts";
import { told, withDatabase } from "./database.ts";

export default defineCommand({
  args: {},
  examples: [{ line: "throughline data check", does: "pages, indexes and references of the database" }],
  async run() {
    const { report, counts } = await withDatabase(async (store) => ({
      report: await store.integrityCheck(),
      counts: (await store.stats()).counts,
    }));
    if (report.ok) return { data: { ...report, counts }, text: `nothing is wrong; ${told(counts)}` };
    const advice = "throughline restore FILE puts a backup in its place";
    return {
      data: { ...report, counts },
      text: [...report.problems, advice].join("\n"),
      exitCode: exitCodes.failure,
    };
  },
});
