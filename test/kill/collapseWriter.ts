// A process that prepares the requests of a conversation, one session after the other, until it is killed.
import { writeSync } from "node:fs";
import { openCollapsing, STEPS, sentWith } from "./collapseSteps.ts";

const [folder = "", writer = "", first = "0"] = process.argv.slice(2);

for (let serial = 0; ; serial++) {
  const session = openCollapsing(folder, `${writer}-${serial}`);
  for (let step = serial === 0 ? Number(first) : 0; step < STEPS; step++)
    writeSync(1, `${serial} ${step} ${sentWith(session, step)}\n`);
}
