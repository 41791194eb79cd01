// `npm start`: sets up, plays a recorded session through the real hooks and a real worker, tells what became of it, and
// keeps the viewer open until Ctrl-C. Everything lies in a temporary folder; nothing of yours is read or changed.
//   -- --once   ends by itself    -- --json   prints the facts alone, and ends    -- --folder DIR   keeps the data there
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { setup } from "./setup.mjs";
import { nextSteps, story } from "./start/demoSession.mjs";
import { commandIn, gather, viewerIn } from "./start/facts.mjs";

const args = process.argv.slice(2);
const asJson = args.includes("--json");
const once = asJson || args.includes("--once");
const given = args.includes("--folder") ? args[args.indexOf("--folder") + 1] : undefined;

/** One line that is rewritten in place, on a terminal. */
function progress(done, all) {
  if (!process.stderr.isTTY) return;
  process.stderr.write(done < all ? `\rplaying the sample: ${done} of ${all}` : "\r\u001b[K");
}

let isOver = false;
const interrupted = new Promise((resolve) => {
  const end = () => {
    isOver = true;
    resolve();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, end);
});

await setup();
if (given !== undefined) mkdirSync(given, { recursive: true });
// Short names: a socket's path has little room.
const folder = realpathSync(given ?? mkdtempSync(path.join(tmpdir(), "tl-start-")));
try {
  const facts = await gather(folder, progress);
  console.log(asJson ? JSON.stringify(facts, null, 2) : `${story(facts)}\n`);
  if (!once) {
    console.log(`See it: ${facts.viewer}`);
    console.log("        (good once, for two minutes; Enter gives another address)\n");
    console.log(`${nextSteps}\n\nCtrl-C ends it and removes everything.`);
    process.stdin.on("data", () => console.log(`See it: ${viewerIn(folder)}`));
    // Neither a promise nor a standard input that was closed keeps a process alive.
    const alive = setInterval(() => undefined, 60_000);
    await interrupted;
    clearInterval(alive);
    process.stdin.destroy();
  }
} catch (error) {
  // Ctrl-C ends the programs that are being waited for too; here it is heard a moment later, and a worker that was
  // just being started is up by then and can be stopped.
  await sleep(1_000);
  if (!isOver) throw error;
  process.exitCode = 130;
} finally {
  commandIn(folder)("worker", "stop");
  if (given === undefined) rmSync(folder, { recursive: true, force: true });
}
