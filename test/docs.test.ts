// Files that come from the code are current; `npm test -- test/docs.test.ts -u` brings them up to date.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { CommandEntry, Group } from "../src/cli/command.ts";
import { root as commandLine } from "../src/cli/commands.ts";
import { commandHelp, groupHelp } from "../src/cli/help.ts";
import { exitCodes } from "../src/cli/output.ts";
import { configJsonSchema, settings } from "../src/config/index.ts";
import { findingKinds } from "../src/install/index.ts";
import { errorCodes } from "../src/lib/index.ts";
import { baselineName, policies, recordSession, replay, totalsByPolicy } from "../src/replay/index.ts";
import { readConversation } from "../src/transcript/index.ts";
import { routes } from "../src/worker/http/routes.ts";
import { markdownTable, withGenerated } from "./generated.ts";

const root = path.resolve(import.meta.dirname, "..");
const read = (name: string): string => readFileSync(path.join(root, name), "utf8");

async function helpOf(name: string, { summary, load }: Omit<CommandEntry, "name">): Promise<string[]> {
  const command = (await load()).default;
  const isGroup = command.kind === "group";
  const help = isGroup ? groupHelp(name, summary, command) : commandHelp(name, summary, command);
  const below = isGroup ? await helpOfAll(name, command) : [];
  return [`### \`${name}\`\n\n\`\`\`\n${help.trimEnd()}\n\`\`\``, ...below];
}

async function helpOfAll(name: string, group: Group): Promise<string[]> {
  const sections: string[] = [];
  for (const entry of group.commands) sections.push(...(await helpOf(`${name} ${entry.name}`, entry)));
  return sections;
}

describe("what is generated from the code is current", () => {
  it("config.schema.json", async () => {
    const schema = `${JSON.stringify(configJsonSchema(), null, 2)}\n`;
    await expect(schema).toMatchFileSnapshot(path.join(root, "config.schema.json"));
  });

  it("docs/config.md", async () => {
    const table = markdownTable(
      ["key", "allowed", "default", "environment", "what it does"],
      settings.map(({ key, allowed, defaultValue, env, description }) => [
        `\`${key}\``,
        allowed,
        `\`${JSON.stringify(defaultValue)}\``,
        `\`${env}\``,
        description,
      ]),
    );
    const page = withGenerated(read("docs/config.md"), "settings", table);
    await expect(page).toMatchFileSnapshot(path.join(root, "docs/config.md"));
  });

  it("docs/cli.md", async () => {
    const commands = (await helpOfAll("throughline", commandLine)).join("\n\n");
    const errors = markdownTable(
      ["code", "meaning"],
      Object.entries(errorCodes).map(([code, meaning]) => [`\`${code}\``, meaning]),
    );
    const page = withGenerated(withGenerated(read("docs/cli.md"), "commands", commands), "errors", errors);
    await expect(page).toMatchFileSnapshot(path.join(root, "docs/cli.md"));
  });

  it("docs/http.md", async () => {
    const table = markdownTable(
      ["address", "answer"],
      Object.entries(routes).map(([route, answer]) => [`\`${route.replace(/:(\w+)/, "NAME")}\``, answer]),
    );
    const page = withGenerated(read("docs/http.md"), "routes", table);
    await expect(page).toMatchFileSnapshot(path.join(root, "docs/http.md"));
  });

  it("docs/troubleshooting.md", async () => {
    const table = markdownTable(
      ["finding", "how bad", "what it means", "the way out"],
      Object.entries(findingKinds).map(([id, { severity, meaning, remedy }]) => [
        `\`${id}\``,
        severity,
        meaning,
        remedy,
      ]),
    );
    const page = withGenerated(read("docs/troubleshooting.md"), "findings", table);
    await expect(page).toMatchFileSnapshot(path.join(root, "docs/troubleshooting.md"));
  });
});

describe("README.md", () => {
  it("has the sample's numbers as they are computed now", async () => {
    const session = recordSession(
      "sample",
      await readConversation(path.join(root, "sample", "session.jsonl")),
    );
    const totals = totalsByPolicy(policies.map((policy) => replay(session, policy, { ttl: "5m" })));
    const percent = (share = 0): string => `${(share * 100).toFixed(1)} %`;
    // Most rules of others wait for a window that is nearly full; the sample is too short for them to act.
    const acting = totals.filter(({ policy, ratio }) => policy === baselineName || ratio !== 1);
    const table = markdownTable(
      ["rule", "cost", "bill", "recalls", "in view", "what it does"],
      acting.map(({ policy, ratio, dollars, recalls, retention }) => [
        `\`${policy}\``,
        percent(ratio),
        `$${dollars.toFixed(2)}`,
        String(recalls),
        percent(retention),
        policies.find(({ name }) => name === policy)?.describe ?? "",
      ]),
    );
    const page = withGenerated(read("README.md"), "sample", table);
    await expect(page).toMatchFileSnapshot(path.join(root, "README.md"));
  });
});

describe("every page", () => {
  const pages = ["README.md", ...readdirSync(path.join(root, "docs")).map((name) => `docs/${name}`)];

  it.each(pages)("%s links to files that are there", (page) => {
    const targets = [...read(page).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, target]) => target ?? "");
    const missing = targets.filter((target) => !existsSync(path.join(root, path.dirname(page), target)));
    expect(missing).toEqual([]);
  });

  it.each(pages)("%s names only commands that are there", async (page) => {
    const known = commandLine.commands.map(({ name }) => name);
    const named = [...read(page).matchAll(/(?:`|\n {2})(?:throughline|node dist\/cli\.js) ([a-z]+)/g)].map(
      ([, name]) => name ?? "",
    );
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });
});

describe("docs/cli.md", () => {
  it("names every exit code", () => {
    for (const code of Object.values(exitCodes))
      expect(read("docs/cli.md")).toMatch(new RegExp(`^\\| ${code} +\\|`, "m"));
  });
});
