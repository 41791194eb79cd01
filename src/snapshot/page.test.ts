// A page on disk: a thousand generated files come back as they were, and what cannot be kept whole is refused.
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readReference, withoutReference } from "./block.ts";
import { addReference, referenceIn, removeReference, tidyPage } from "./page.ts";

const reference = {
  name: "compact-snapshot-20261115163000.md",
  at: Date.UTC(2026, 10, 15, 8, 30),
  hours: 2,
  language: "en",
} as const;
const START = "<!-- TEMP_COMPACT_SNAPSHOT_START -->";
const END = "<!-- TEMP_COMPACT_SNAPSHOT_END -->";

let folder = "";
beforeEach(() => {
  // In memory where there is such a place: a thousand files that wait for a disk would take long.
  folder = mkdtempSync(path.join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "throughline-page-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (name = "CLAUDE.md"): string => path.join(folder, name);

const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.string({ unit: "binary", maxLength: 40 }).map((text) => text.replace(/[\n\0]/g, "")),
  },
  { weight: 1, arbitrary: fc.constantFrom("", "---", "# 标题", "```", "~~~", "````md", "```` ", "  ```js") },
  { weight: 1, arbitrary: fc.constantFrom(`say ${START}`, `    ${START}`, `> ${END}`) },
);
const fenced = fc.constantFrom(`\`\`\`\n${START}\nx\n${END}\n\`\`\``, `~~~~\n${END}\n~~~~`);
const half = fc.constantFrom(START, END, `${START}\nlost`);

const seldom = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: 10, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

/** Any page a project may have: BOM, frontmatter, mixed line ends, marks in code, half a block, bytes that are no text. */
const anyPage = fc
  .record({
    bom: fc.boolean(),
    front: fc.option(
      fc.constantFrom("---\ntitle: x\n---\n", "---\n---\n", "---\nopen: yes\n", "---\na: b\n---"),
    ),
    lines: fc.array(fc.oneof({ weight: 12, arbitrary: line }, { weight: 1, arbitrary: fenced }), {
      maxLength: 12,
    }),
    broken: seldom(half),
    crlf: fc.boolean(),
    ending: fc.constantFrom("", "\n", "\n\n", "\r"),
    bytes: seldom(fc.uint8Array({ maxLength: 8, min: 1 })),
  })
  .map(({ bom, front, lines, broken, crlf, ending, bytes }) => {
    const body = [...lines, ...(broken === null ? [] : [broken])].join("\n");
    const text = `${bom ? "\ufeff" : ""}${front ?? ""}${body}${ending}`;
    const encoded = Buffer.from(crlf ? text.replaceAll("\n", "\r\n") : text, "utf8");
    return bytes === null ? encoded : Buffer.concat([encoded, bytes]);
  });

describe("a page", () => {
  it("comes back byte for byte with mode and links, or is refused and untouched, over 1,000 generated files", () => {
    const seen = { returned: 0, refused: 0, identical: 0 };
    const mode = fc.constantFrom(0o644, 0o600, 0o664, 0o444, 0o755);
    fc.assert(
      fc.property(anyPage, mode, fc.boolean(), (bytes, permissions, linked) => {
        for (const name of readdirSync(folder)) rmSync(at(name), { force: true });
        const target = at(linked ? "AGENTS.md" : "CLAUDE.md");
        writeFileSync(target, bytes);
        chmodSync(target, permissions);
        if (linked) symlinkSync("AGENTS.md", at());
        const outcome = addReference(folder, "CLAUDE.md", reference);
        if ("refused" in outcome) seen.refused += 1;
        else {
          seen.returned += 1;
          expect(referenceIn(folder, "CLAUDE.md")).toMatchObject({ name: reference.name, at: reference.at });
          expect(readFileSync(target).includes(START)).toBe(true);
          expect(removeReference(folder, "CLAUDE.md")).toEqual({ changed: true });
        }
        // Chance makes a block now and then, where a fence happens to be closed: that one is replaced, and gone.
        const before = bytes.toString("latin1");
        const had = readReference(before).reference !== undefined && !("refused" in outcome);
        const expected = had ? Buffer.from(withoutReference(before) ?? "", "latin1") : bytes;
        seen.identical += Number(!had);
        expect(Buffer.compare(readFileSync(target), expected)).toBe(0);
        expect(statSync(target).mode & 0o777).toBe(permissions);
        if (linked) expect(readlinkSync(at())).toBe("AGENTS.md");
        expect(readdirSync(folder)).toHaveLength(linked ? 2 : 1);
      }),
      { numRuns: 1_100, seed: 20_261_115 },
    );
    expect(seen.returned).toBeGreaterThan(500);
    expect(seen.refused).toBeGreaterThan(50);
    expect(seen.identical).toBeGreaterThanOrEqual(1_000);
  });

  it("of almost 4 MiB comes back; one that would grow beyond what Claude Code reads is refused", () => {
    const small = Buffer.alloc(4 * 1024 * 1024 - 4_096, "rule\n");
    writeFileSync(at(), small);
    expect(addReference(folder, "CLAUDE.md", reference)).toEqual({ changed: true });
    removeReference(folder, "CLAUDE.md");
    expect(Buffer.compare(readFileSync(at()), small)).toBe(0);
    const large = Buffer.alloc(4 * 1024 * 1024 - 10, "rule\n");
    writeFileSync(at(), large);
    expect(addReference(folder, "CLAUDE.md", reference)).toEqual({ refused: "too-large" });
    expect(Buffer.compare(readFileSync(at()), large)).toBe(0);
  });

  it("is made where there is none, and goes again: no empty file is left", () => {
    expect(addReference(folder, "CLAUDE.local.md", reference)).toEqual({ changed: true });
    expect(readFileSync(at("CLAUDE.local.md"), "utf8")).toContain(reference.name);
    expect(removeReference(folder, "CLAUDE.local.md")).toEqual({ changed: true });
    expect(readdirSync(folder)).toEqual([]);
    expect(removeReference(folder, "CLAUDE.md")).toEqual({ changed: false });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("that is read-only, a folder, a link to nowhere or hard-linked is left alone", () => {
    writeFileSync(at(), "rules\n");
    chmodSync(at(), 0o444);
    expect(addReference(folder, "CLAUDE.md", reference)).toEqual({ refused: "read-only" });
    chmodSync(at(), 0o644);
    linkSync(at(), at("other.md"));
    expect(addReference(folder, "CLAUDE.md", reference)).toEqual({ refused: "hard-linked" });
    expect(readFileSync(at(), "utf8")).toBe("rules\n");
    rmSync(at());
    symlinkSync("nowhere.md", at());
    expect(addReference(folder, "CLAUDE.md", reference)).toEqual({ refused: "not-a-file" });
    expect([lstatSync(at()).isSymbolicLink(), existsSync(at("nowhere.md"))]).toEqual([true, false]);
    rmSync(at());
    mkdirSync(at());
    expect(addReference(folder, "CLAUDE.md", reference)).toEqual({ refused: "not-a-file" });
  });

  it("that is a link out of the project is followed to Markdown, and to nothing else", () => {
    const project = at("project");
    mkdirSync(project);
    for (const name of [".bashrc", "rules.md", "project/.rules"]) writeFileSync(at(name), "mine\n");
    const linked = (target: string): string => {
      rmSync(path.join(project, "CLAUDE.md"), { force: true });
      symlinkSync(target, path.join(project, "CLAUDE.md"));
      return JSON.stringify(addReference(project, "CLAUDE.md", reference));
    };
    expect(linked("../.bashrc")).toBe('{"refused":"leads-away"}');
    expect(readFileSync(at(".bashrc"), "utf8")).toBe("mine\n");
    for (const target of ["../rules.md", ".rules"]) {
      expect(linked(target)).toBe('{"changed":true}');
      expect(removeReference(project, "CLAUDE.md")).toEqual({ changed: true });
      expect(readFileSync(path.join(project, target), "utf8")).toBe("mine\n");
    }
  });

  it("loses what a killed writer left beside it, once that is old", () => {
    writeFileSync(at(), "rules\n");
    writeFileSync(at(".CLAUDE.md.throughline-123.tmp"), "half");
    tidyPage(folder, "CLAUDE.md", Date.now());
    expect(readdirSync(folder)).toHaveLength(2);
    tidyPage(folder, "CLAUDE.md", Date.now() + 120_000);
    expect(readdirSync(folder)).toEqual(["CLAUDE.md"]);
  });
});
