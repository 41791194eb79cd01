// Replays recorded sessions through every policy and prints what each would have cost.
// usage: npm run bench:replay -- FILE|DIR… [--ttl 5m|1h] [--cache-read 0.05]
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { plainPolicies, recordSession, replay, type Ttl, totalsByPolicy } from "../src/replay/index.ts";
import { lookupModel } from "../src/tokens/index.ts";
import { readConversation } from "../src/transcript/index.ts";

const args = process.argv.slice(2);
const flag = (name: string): string | undefined => {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args.splice(at, 2)[1];
};
const ttl = (flag("--ttl") ?? "5m") as Ttl;
const share = Number(flag("--cache-read") ?? 0);
const files = args.flatMap((arg) =>
  statSync(arg).isDirectory()
    ? readdirSync(arg)
        .filter((name) => name.endsWith(".jsonl"))
        .map((name) => path.join(arg, name))
    : [arg],
);
const results = [];
for (const file of files) {
  const conversation = await readConversation(file);
  const name = conversation.models.find((model) => model.startsWith("claude")) ?? "";
  const base = lookupModel(name);
  const overrides =
    share > 0
      ? { [base.id]: { prices: base.prices.map((step) => ({ ...step, cacheRead: step.input * share })) } }
      : {};
  const session = recordSession(path.basename(file), conversation, { overrides });
  for (const policy of plainPolicies) results.push(replay(session, policy, { ttl }));
}
for (const total of totalsByPolicy(results)) {
  console.log(
    total.policy.padEnd(14),
    `${((total.ratio ?? 0) * 100).toFixed(1)} %`.padStart(8),
    `worst ${((total.worstRatio ?? 0) * 100).toFixed(0)} %`,
    `tokens ${(total.promptTokens / 1e6).toFixed(1)} M`,
    `$${total.dollars.toFixed(2)}`,
    `recalls ${total.recalls}`,
    `compactions ${total.compactions}`,
    `retention ${(total.retention * 100).toFixed(1)} %`,
  );
}
