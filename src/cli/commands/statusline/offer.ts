// The offer of `install`: a status line below Claude Code's prompt.
import { carryOutInstall } from "../../../install/index.ts";
import { defined } from "../../../lib/index.ts";
import { confirmed } from "../../confirm.ts";
import { installRequest, type Lane, prepareAll } from "../../installation.ts";

/** Asked at the first installation alone; later it is a flag. */
export async function offerStatusLine(lane: Lane | undefined) {
  const question = {
    details:
      "Claude Code can show a line below its prompt: window used, cost, prompt cache, last compaction. One of your own stays, above it.",
    question: "Show the status line?",
    isOffByDefault: true,
  };
  if (!(await confirmed({ ...question, yes: false, json: false }))) return false;
  const [prepared] = prepareAll(installRequest("user", { ...defined({ lane }), hasStatusLine: true }));
  carryOutInstall(prepared, new Date());
  return `status line: in ${prepared.settings.file}`;
}
