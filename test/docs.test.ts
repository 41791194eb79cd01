// Files that come from the code are current; `npm test -- test/docs.test.ts -u` brings them up to date.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { replayPicture } from "../bench/picture.ts";
import { readmeBlocks } from "../bench/readme.ts";
import { recordedPage, recordedResults } from "../bench/record.ts";
import type { Command, CommandEntry, Group } from "../src/cli/command.ts";
import { root as commandLine } from "../src/cli/commands.ts";
import { commandHelp, groupHelp } from "../src/cli/help.ts";
import { exitCodes } from "../src/cli/output.ts";
import { configJsonSchema, settings } from "../src/config/index.ts";
import { routes } from "../src/http/routes/table.ts";
import { findingKinds } from "../src/install/index.ts";
import { errorCodes } from "../src/lib/index.ts";
import {
  baselineName,
  policies,
  type Replayed,
  recordSession,
  replayWithCourse,
  totalsByPolicy,
} from "../src/replay/index.ts";
import { failureKinds } from "../src/store/sqlite/failures.ts";
import { readConversation } from "../src/transcript/index.ts";
import { settingHelp } from "../viewer/src/texts/settings.zh.ts";
import { markdownTable, withGenerated } from "./generated.ts";

const root = path.resolve(import.meta.dirname, "..");
const read = (name: string): string => readFileSync(path.join(root, name), "utf8");

async function helpOf(name: string, { summary, load }: CommandEntry): Promise<string[]> {
  const command = await load();
  const isGroup = command.kind === "group";
  const help = isGroup ? groupHelp(name, summary, command) : commandHelp(name, summary, command);
  const below = isGroup ? await helpOfAll(name, command) : [];
  return [`### \`${name}\`\n\n\`\`\`\n${help.trimEnd()}\n\`\`\``, ...below];
}

async function helpOfAll(name: string, group: Group): Promise<string[]> {
  const sections: string[] = [];
  for (const [own, entry] of Object.entries(group.commands))
    sections.push(...(await helpOf(`${name} ${own}`, entry)));
  return sections;
}

describe("what is generated from the code is current", () => {
  it("config.schema.json", async () => {
    const schema = `${JSON.stringify(configJsonSchema(), null, 2)}\n`;
    await expect(schema).toMatchFileSnapshot(path.join(root, "config.schema.json"));
  });

  it("docs/sdk.md", async () => {
    const example = `\`\`\`ts\n${read("examples/agent.ts").trimEnd()}\n\`\`\``;
    const page = withGenerated(read("docs/sdk.md"), "agent", example);
    await expect(page).toMatchFileSnapshot(path.join(root, "docs/sdk.md"));
  });

  it("docs/config.md", async () => {
    const table = markdownTable(
      ["key", "allowed", "default", "environment", "project file", "what it does"],
      settings.map(({ key, allowed, defaultValue, env, description, project }) => [
        `\`${key}\``,
        allowed,
        `\`${JSON.stringify(defaultValue)}\``,
        `\`${env}\``,
        { no: "when trusted", off: "when trusted; `false` always", list: "always", never: "no" }[
          project?.narrows ?? "never"
        ],
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

  it("docs/store.md", async () => {
    const table = markdownTable(
      ["code", "result codes of SQLite", "of the operating system", "the database", "fix"],
      Object.entries(failureKinds).map(([code, { sqlite, system, means, fix }]) => [
        `\`${code}\``,
        Object.entries(sqlite)
          .map(([name, number]) => `${name} (${number})`)
          .join(", ") || "any other",
        system.join(", "),
        means,
        fix,
      ]),
    );
    const page = withGenerated(read("docs/store.md"), "failures", table);
    await expect(page).toMatchFileSnapshot(path.join(root, "docs/store.md"));
  });

  it("docs/troubleshooting.md", async () => {
    const table = markdownTable(
      ["finding", "severity", "meaning", "remedy"],
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

/** The sample session under every rule. */
async function sampleReplayed(): Promise<readonly Replayed[]> {
  const conversation = await readConversation(path.join(root, "sample", "session.jsonl"));
  const session = recordSession("sample", conversation);
  return policies.map((policy) => replayWithCourse(session, policy, { ttl: "5m" }));
}

/** Those that do something to it. */
async function sampleTable(): Promise<string> {
  const totals = totalsByPolicy((await sampleReplayed()).map(({ result }) => result));
  const percent = (share = 0): string => `${(share * 100).toFixed(1)} %`;
  // Most rules of others wait for a window that is nearly full; the sample is too short for them to act.
  const acting = totals.filter(({ policy, ratio }) => policy === baselineName || ratio !== 1);
  return markdownTable(
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
}

describe("the numbers of the first pages", () => {
  const results = recordedResults(path.join(root, "bench", "results"));
  const firstPages = ["README.md", "README.zh-CN.md"].filter((page) => existsSync(path.join(root, page)));

  it.each([...firstPages, "docs/numbers.md"])(
    "are in %s as they are computed now, and as bench/results has them",
    async (page) => {
      const blocks = { sample: await sampleTable(), ...readmeBlocks(results, markdownTable) };
      const text = Object.entries(blocks).reduce(
        (whole, [name, block]) =>
          whole.includes(`<!-- generated:${name} -->`) ? withGenerated(whole, name, block) : whole,
        read(page),
      );
      await expect(text).toMatchFileSnapshot(path.join(root, page));
    },
  );

  it.each(firstPages)("are nowhere in %s but where they are generated", (page) => {
    const byHand = read(page).replace(/<!-- generated:(\S+) -->[\s\S]*?<!-- \/generated:\1 -->/g, "");
    expect(byHand.match(/\d[\d.,]* ?(?:%|ms\b|×|MB\/s)/g)).toBeNull();
  });

  it("and the rest of the facts are the same in both languages", () => {
    const facts = (page: string): Record<string, readonly string[]> => {
      const text = read(page).replaceAll("README.zh-CN.md", "README.md");
      const all = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([found]) => found);
      return {
        generated: all(/<!-- generated:\S+ -->/g),
        links: all(/\]\([^)]+\)/g).toSorted(),
        code: all(/(?<!`)`[^`\n]+`(?!`)/g).toSorted(),
        headings: all(/^#+ /gm),
        numbers: all(/\d[\d,.]*\d/g).toSorted(),
      };
    };
    expect(facts("README.zh-CN.md")).toEqual(facts("README.md"));
  });

  it("are in the picture", async () => {
    const picture = replayPicture(await sampleReplayed());
    await expect(picture).toMatchFileSnapshot(path.join(root, "docs", "pictures", "replay.svg"));
  });

  it("are in bench/results twice, and the same", () => {
    for (const [name, result] of results) expect(read(`bench/results/${name}.md`)).toBe(recordedPage(result));
  });
});

/** What is wrong with a line as it stands on a page: words in capitals stand for something, `…` for anything. */
async function typingProblem(line: string): Promise<string | undefined> {
  const [typed = ""] = line.split(/ {2,}|[|>#]/);
  const words = typed.trim().split(/\s+/);
  let command: Command | Group = commandLine;
  while (command.kind === "group") {
    const group: Group = command;
    const entry = group.commands[words[0] ?? ""];
    // A group may be named by itself, and `COMMAND` is any of it.
    if (entry === undefined)
      return words[0] === undefined || /^(…|[A-Z-]+|--help|--version|help$)/.test(words[0])
        ? undefined
        : line;
    command = await entry.load();
    words.shift();
  }
  const flags = words.filter((word) => word.startsWith("--") && word !== "--");
  const known = ["--json", "--help", ...Object.keys(command.args).map(flagOf)];
  const unknown = flags.filter(
    (flag) => !known.includes(flag.split("=")[0]?.replace(/[\]).,;:]+$/, "") ?? ""),
  );
  return unknown.length === 0 ? undefined : `${line}: ${unknown.join(", ")}`;
}

const flagOf = (name: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

describe("every page", () => {
  const inDocs = readdirSync(path.join(root, "docs")).filter((name) => name.endsWith(".md"));
  const atRoot = ["README.md", "README.zh-CN.md", "CONTRIBUTING.md"].filter((name) =>
    existsSync(path.join(root, name)),
  );
  const pages = [...atRoot, ...inDocs.map((name) => `docs/${name}`)];

  it.each(pages)("%s links to files that are there", (page) => {
    const targets = [...read(page).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, target]) => target ?? "");
    const missing = targets.filter((target) => !existsSync(path.join(root, path.dirname(page), target)));
    expect(missing).toEqual([]);
  });

  it.each(pages)("%s names only commands and flags that are there", async (page) => {
    const named = [...read(page).matchAll(/(?:`|\n *(?:\$ )?)(?:throughline|node dist\/cli\.js) ([^`\n]+)/g)];
    const problems = await Promise.all(named.map(([, line = ""]) => typingProblem(line)));
    expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
  });

  it.each(pages)("%s names only scripts that are there", (page) => {
    const { scripts } = JSON.parse(read("package.json"));
    const named = [...read(page).matchAll(/npm run ([a-z][\w:-]*)/g)].map(([, name = ""]) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

describe("the page", () => {
  it("has the help of every setting in Chinese too (viewer/src/texts/settings.zh.ts), and of no other", () => {
    expect(Object.keys(settingHelp).toSorted()).toEqual(settings.map(({ key }) => key).toSorted());
  });
});

describe("docs/cli.md", () => {
  it("names every exit code", () => {
    for (const code of Object.values(exitCodes))
      expect(read("docs/cli.md")).toMatch(new RegExp(`^\\| ${code} +\\|`, "m"));
  });
});

/** Every mention of a file of ours that a page makes: the map must lead somewhere. */
const namedTests = (page: string): string[] =>
  [...read(page).matchAll(/`((?:src|test)\/[\w./-]+\.(?:test|e2e|soak)\.ts)`/g)].map(([, file = ""]) => file);

describe("the page about security", () => {
  const page = "docs/security.md";

  it("names tests that are there", () => {
    expect(namedTests(page).filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });

  it("names a test for each promise", () => {
    const promised = read(page).split("## What is promised")[1]?.split("\n## ")[0] ?? "";
    const rows = promised
      .split("\n")
      .filter((line) => line.startsWith("| ") && !/^\| (?:promise|-)/.test(line));
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.filter((row) => !/\.(?:test|e2e)\.ts`/.test(row))).toEqual([]);
  });
});
