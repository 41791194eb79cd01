// Holds the checker to labelled memories: of what went stale hardly one is missed, and nothing that holds is flagged.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Labelled, labelled } from "../../test/fixtures/memory/labelled.ts";
import { otherFiles, otherLabelled } from "../../test/fixtures/memory/otherRepository.ts";
import { findReferences } from "./references.ts";
import { type Repository, readRepository } from "./repository.ts";
import { checkTruth } from "./truth.ts";

const other = mkdtempSync(path.join(tmpdir(), "throughline-other-"));
afterAll(() => rmSync(other, { recursive: true, force: true }));
for (const [file, text] of Object.entries(otherFiles)) {
  mkdirSync(path.dirname(path.join(other, file)), { recursive: true });
  writeFileSync(path.join(other, file), text);
}
// The fixture has git's refs; this adds what else git needs to take it for a repository.
execFileSync("git", ["init", "-q", other]);

const isFound = (repository: Repository, { text }: Labelled): boolean =>
  checkTruth(text, repository).standing === "stale";

describe.each([
  ["this repository", path.resolve(import.meta.dirname, "../.."), ["test/fixtures/memory"], labelled],
  ["another repository", other, [], otherLabelled],
] as const)("memories about %s", (_, root, ignore, memories) => {
  const repository = readRepository(root, { ignore });

  it("that went stale are found, 95 of 100 at least", () => {
    const stale = memories.filter(({ isStale }) => isStale);
    const missed = stale.filter((memory) => !isFound(repository, memory)).map(({ text }) => text);
    expect(missed.length / stale.length, missed.join("\n")).toBeLessThanOrEqual(0.05);
  });

  it("that still hold are never flagged", () => {
    const flagged = memories.filter((memory) => !memory.isStale && isFound(repository, memory));
    expect(flagged.map(({ text }) => text)).toEqual([]);
  });
});

it("the labelled set is as large as it has to be, and a third of it is stale", () => {
  expect(labelled.length).toBeGreaterThanOrEqual(60);
  expect(labelled.filter(({ isStale }) => isStale).length * 3).toBeGreaterThanOrEqual(labelled.length);
});

describe("the evidence", () => {
  const repository = readRepository(other);
  const evidence = (text: string) =>
    checkTruth(text, repository).checked.map((each) => `${each.standing}: ${each.evidence}`);

  it.each([
    ["`ledger/book.py`", "stale: there is no ledger/book.py; a file of that name is at ledgerly/book.py"],
    ["`npm run deb`", "stale: there is no script deb; the nearest is dev"],
    [
      "`LEDGERLY_DB_URI`",
      "stale: the repository knows LEDGERLY_… variables, but not LEDGERLY_DB_URI; the nearest is LEDGERLY_DB_URL",
    ],
    ["`make tests`", "stale: there is no target tests; the nearest is test"],
    ["`git switch release/2.x`", "fresh: there is a branch release/2.x"],
    ["`ledgerly/**/*.py`", "fresh: ledgerly/__init__.py matches ledgerly/**/*.py"],
    ["`cli.py:3`", "fresh: ledgerly/cli.py is there"],
    ["http://not an address", "stale: http://not is no address"],
    ["`docker run --rm`", "unverifiable: --rm is a flag of docker"],
  ])("of %s", (text, expected) => {
    expect(evidence(text)).toContain(expected);
  });

  it("of a pattern that would take for ever is none", () => {
    const glob = `\`${"a*/".repeat(40)}x.ts\``;
    expect(evidence(glob)).toEqual([expect.stringMatching(/^unverifiable: .* is no pattern/)]);
  });

  it("of a branch is none where the branches of others were not fetched", () => {
    const alone = mkdtempSync(path.join(tmpdir(), "throughline-alone-"));
    mkdirSync(path.join(alone, ".git", "refs", "heads"), { recursive: true });
    writeFileSync(path.join(alone, ".git", "HEAD"), "ref: refs/heads/main\n");
    writeFileSync(path.join(alone, ".git", "config"), '[remote "origin"]\n\turl = https://example.org/x\n');
    expect(checkTruth("the `topic` branch", readRepository(alone)).standing).toBe("unverifiable");
    rmSync(path.join(alone, ".git", "config"));
    expect(checkTruth("the `topic` branch", readRepository(alone)).standing).toBe("stale");
    rmSync(alone, { recursive: true });
  });

  it("is that nothing can be said where a repository was too large to be read", () => {
    const partial = { ...repository, isWhole: false };
    expect(checkTruth("`unheardOf()`", partial).standing).toBe("unverifiable");
    expect(checkTruth("`unheardOf()`", repository).standing).toBe("stale");
  });
});

const PLAIN = ["path .prettierrc", "path vitest.config.ts", "path Rakefile"] as const;

describe("references", () => {
  it.each([
    ["plain words and / or more", []],
    ["`application/json` and `@types/node` and `3/4`", []],
    ["`/etc/passwd` and `~/.bashrc` and `$HOME/x.ts`", []],
    ["`src/<name>/index.ts`", []],
    ["see src/a/b.ts:12.", ["path src/a/b.ts"]],
    ["`npm install` then `npm t`", ["script test"]],
    ["`FOO_BAR=1 npm run x -- --deep`", ["script x", "flag --deep"]],
    [
      "`useThing()` and `Vault#open` and `some_thing` and `_own_thing` and `HTTPThing`",
      ["symbol useThing", "symbol Vault#open", "symbol some_thing", "symbol _own_thing", "symbol HTTPThing"],
    ],
    ["```ts\nimport x from 'src/none.ts'\n```", []],
    ["the `topic/login` branch", ["branch topic/login"]],
    ["`bun run --silent scripts/x.ts` and `yarn workspace web build` and `bun test`", ["path scripts/x.ts"]],
    ["`make -C web -j4 all` and `just fmt`", ["target all", "target fmt"]],
    ["`npx -y tool list` and `uv run ledgerly show`", ["program list", "program show"]],
    ["`camelCase`, `macOS`, `SCREAMING_SNAKE_CASE`, `api.example.com`", []],
    ["vitest.config.ts, Rakefile and `.prettierrc`, but `.zshrc` of Node.js", PLAIN],
    ["github.com/a/b/c.ts", []],
  ] as const)("in %s", (text, expected) => {
    expect(findReferences(text).map(({ kind, text: what }) => `${kind} ${what}`)).toEqual(expected);
  });

  it.each([
    "removed `a/b.ts`",
    "`a/b.ts` is gone",
    "use it instead of `a/b.ts`",
    "we will add `a/b.ts`",
    "已删除 `a/b.ts`",
    "`a/b.ts` 已被移除",
    "`a/b.ts` (the cache) was removed in March",
    "`a/b.ts` was only an example and was deleted",
    "never add `a/b.ts` again",
    "`a/b.ts` in the infra repository",
    "in the `website` repository (`a/b.ts`)",
    "do not call `someThing()`",
    "`someThing()` is forbidden",
    "不要使用 `someThing()`",
    "the metric `some_thing`",
    "`some_thing` table",
  ])("are not held against a memory that says: %s", (text) => {
    expect(findReferences(text)).toMatchObject([{ isDisclaimed: true }]);
  });
});
