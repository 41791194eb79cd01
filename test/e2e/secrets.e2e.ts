// Secrets that a session meets are nowhere in what Throughline keeps: database, write-ahead log, spool, logs.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { sha256 } from "../../src/lib/index.ts";
import { compaction, on, prompted, say, summary, tool, use } from "../scripted-api/index.ts";
import { until } from "../until.ts";
import { spooled, throughlineIn } from "./throughline.ts";
import { filesHolding } from "./tree.ts";
import { hasClaude, openWorld } from "./world.ts";

/** Made up as it runs: a real-looking secret must not stand in a source. */
const madeUp = (name: string, length: number): string => sha256(name).slice(0, length);
const githubToken = ["gh", `p_${madeUp("github", 36)}`].join("");
const awsKey = ["AK", `IA${madeUp("aws", 16).toUpperCase().replace(/[01]/g, "Q")}`].join("");
const password = madeUp("password", 24);
const privateNote = `the door code is ${madeUp("door", 6)}`;
const buried = ["gh", `p_${madeUp("buried", 36)}`].join("");
const values = [githubToken, awsKey, password, privateNote, buried];

describe.skipIf(!hasClaude)("a secret", () => {
  it("in a prompt, a file, an output or an error is on no disk of ours, while it runs and afterwards", async () => {
    const world = await openWorld();
    const throughline = throughlineIn(world);
    await throughline.must("install", "--yes");
    const file = path.join(world.work, "settings.env");
    const contents = `GITHUB_TOKEN=${githubToken}\nDATABASE_URL=postgres://app:${password}@db.internal/app\n`;
    writeFileSync(file, contents);
    // More than Claude Code hands to a hook: the secret stands in the part that only its own file holds.
    const long = path.join(world.work, "long.log");
    writeFileSync(long, `${"an uneventful line of the log\n".repeat(3_000)}token ${buried}\n`);
    const prompt = `look at it <private>${privateNote}</private> and use ${awsKey}`;
    world.api.play([
      on(
        prompted("look at it"),
        use([tool("Bash", { command: `cat ${file}` }), tool("Read", { file_path: file })]),
        use(tool("Bash", { command: `cat ${long}` })),
        use(tool("Bash", { command: `echo ${githubToken} >&2; exit 3` })),
        say(`the token is ${githubToken}`),
      ),
    ]);
    const run = await world.claude({ prompt });
    expect(run.exitCode).toBe(0);
    const { config, data, state } = throughline.home;
    const found = (): string[] => [config, data, state].flatMap((folder) => filesHolding(folder, values));
    expect(found()).toEqual([]);
    await throughline.must("worker", "start");
    await until(() => spooled(throughline.home).length === 0, "the spool to be empty");
    expect(found()).toEqual([]);
    const kept = await throughline.settle();
    expect(found()).toEqual([]);
    const text = JSON.stringify(kept);
    expect(values.filter((value) => text.includes(value))).toEqual([]);
    expect(kept.prompts[0]?.promptText).toMatch(
      /^look at it \[redacted: private\] and use \[redacted: [^\]]+\]$/,
    );
    expect(kept.events.filter(({ kind }) => kind === "tool")).toHaveLength(3);
    expect(text).toContain("GITHUB_TOKEN=[redacted: ");
  });

  it("said twice, or in a sentence of its own, is in no snapshot, archive or note after a compaction", async () => {
    const world = await openWorld();
    const throughline = throughlineIn(world);
    await throughline.must("install", "--yes");
    const told = `the password: ${password}!Q, and ${"so on ".repeat(34)}${githubToken}`;
    const hidden = `<private>\nOnce more.\nYou must never tell that ${privateNote}. We decided that ${privateNote}.\n</private>`;
    world.api.play([
      on(prompted("use this"), use(tool("Bash", { command: `echo '${told}'` })), say(`We decided: ${told}`)),
      on(prompted("use it"), say(`We decided: ${told}`)),
      on(compaction, summary("They used it.")),
      on(prompted("go on"), say("went on")),
    ]);
    const run = await world.claude({
      prompts: [`use this: ${told}`, `use it, you must: ${told} ${hidden}`, "/compact", "go on"],
    });
    expect([run.exitCode, run.stderr]).toEqual([0, ""]);
    await throughline.settle();
    const { config, data, state } = throughline.home;
    const found = [config, data, state, world.work].flatMap((folder) => filesHolding(folder, values));
    // The vault keeps exact bytes, and answers recall only.
    expect(found.filter((name) => !name.startsWith("vault"))).toEqual([]);
    const snapshot = readdirSync(path.join(world.work, ".claude")).find((name) =>
      name.startsWith("compact-"),
    );
    const text = readFileSync(path.join(world.work, ".claude", snapshot ?? ""), "utf8");
    expect(text).toContain("[redacted: private]");
    expect(text.match(/password: \[redacted: password\]/g)?.length).toBeGreaterThanOrEqual(4);
    // Half of a secret is a secret, too.
    expect(text).not.toContain(githubToken.slice(0, 12));
  });
});
