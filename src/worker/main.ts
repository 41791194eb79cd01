// The worker as a program of its own: `node worker.js`. It prints nothing; its log says what happens.
import { errorText, neutral } from "../lib/index.ts";
import { runProcess } from "./process.ts";

try {
  await runProcess({ program: { node: process.execPath, script: process.argv[1] ?? "" } });
  process.exit(0);
} catch (error) {
  process.stderr.write(neutral(`throughline: the worker could not run: ${errorText(error)}\n`));
  process.exit(1);
}
