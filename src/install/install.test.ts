// Installing and uninstalling on real files: bytes, modes, links, backups, receipts, and what others did meanwhile.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { anySettings } from "../../test/arbitrary/claudeSettings.ts";
import { type Home, receiptFile, runtimeFile } from "../home/index.ts";
import { bundles, installedProgram } from "./hookTable.ts";
import { carryOutInstall, type InstallRequest, prepareInstall } from "./install.ts";
import { readReceipt, scopes } from "./receipt.ts";
import { carryOutUninstall, prepareUninstall, purgeData, type Removed } from "./uninstall.ts";

let folder: string;
let home: Home;
let userFile: string;
const now = new Date("2026-01-02T03:04:05.678Z");

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-install-"));
  const own = path.join(folder, "user", ".local", "throughline");
  home = { config: path.join(own, "config"), data: path.join(own, "data"), state: path.join(own, "state") };
  mkdirSync(path.join(folder, "user"));
  userFile = path.join(folder, "user", ".claude", "settings.json");
  placePackage("package");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function placePackage(name: string): string {
  const place = path.join(folder, name);
  mkdirSync(path.join(place, "dist", "hooks"), { recursive: true });
  for (const bundle of bundles) writeFileSync(path.join(place, "dist", "hooks", `${bundle}.cjs`), "");
  return place;
}

function request(more: Partial<InstallRequest> & { place?: string } = {}): InstallRequest {
  const place = path.join(folder, more.place ?? "package");
  return {
    home,
    scope: "user",
    claude: {
      configFolder: path.join(folder, "user", ".claude"),
      projectFolder: path.join(folder, "project"),
    },
    program: installedProgram(process.execPath, place),
    runtime: {
      version: "1.2.3",
      paused: false,
      excluded: ["/secret"],
      worker: { node: process.execPath, script: path.join(place, "dist", "worker.js") },
    },
    env: {},
    ...more,
  };
}

const install = (more: Parameters<typeof request>[0] = {}) =>
  carryOutInstall(prepareInstall(request(more)), now);

function uninstall(): Removed[] {
  const removals = prepareUninstall({ home, claude: request().claude, scopes });
  return carryOutUninstall(home, removals, now);
}

function writeSettings(text: string, mode = 0o644): void {
  mkdirSync(path.dirname(userFile), { recursive: true });
  writeFileSync(userFile, text, { mode });
}

/** Every path below a folder with its mode and content. */
function tree(at: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(at, { recursive: true }).map(String).sort()) {
    const stat = lstatSync(path.join(at, name));
    const content = stat.isFile() ? readFileSync(path.join(at, name), "utf8") : "";
    found[name] = `${(stat.mode & 0o777).toString(8)} ${content}`;
  }
  return found;
}

describe("installing into a home without settings", () => {
  it("makes a private file, a receipt and what hooks may know, and uninstalling leaves no trace", () => {
    const before = tree(path.join(folder, "user"));
    expect(install()).toEqual({ file: userFile });
    expect(statSync(userFile).mode & 0o777).toBe(0o600);
    expect(statSync(receiptFile(home)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(runtimeFile(home), "utf8"))).toEqual(request().runtime);
    expect(uninstall()).toEqual([{ file: userFile, outcome: "deleted" }]);
    expect(tree(path.join(folder, "user"))).toEqual(before);
  });

  it("keeps what was captured meanwhile, unless all of it is to go", () => {
    install();
    const { folders } = readReceipt(home);
    writeFileSync(path.join(home.data, "throughline.db"), "rows");
    uninstall();
    expect(readdirSync(home.data)).toEqual(["throughline.db"]);
    expect(purgeData(home, folders)).toContain(home.data);
    expect(readdirSync(path.join(folder, "user"))).toEqual([]);
  });
});

describe("installing into settings that are there", () => {
  it("backs them up, keeps their mode, and puts every byte back", () => {
    writeSettings('{"model": "x"}', 0o640);
    chmodSync(userFile, 0o640);
    const before = tree(path.join(folder, "user"));
    const { backup = "" } = install();
    expect(readFileSync(backup, "utf8")).toBe('{"model": "x"}');
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    expect(statSync(userFile).mode & 0o777).toBe(0o640);
    expect(uninstall()).toEqual([{ file: userFile, outcome: "restored" }]);
    expect(tree(path.join(folder, "user"))).toEqual(before);
  });

  it("does so for any file", () => {
    fc.assert(
      fc.property(anySettings, ({ text }) => {
        writeSettings(text);
        install();
        expect(readFileSync(userFile, "utf8")).not.toBe(text);
        uninstall();
        expect(readFileSync(userFile, "utf8")).toBe(text);
        expect(existsSync(home.data)).toBe(false);
      }),
      { numRuns: 15 },
    );
  });

  it("follows a link and leaves it a link", () => {
    const real = path.join(folder, "dotfiles.json");
    writeFileSync(real, "{}\n");
    mkdirSync(path.dirname(userFile));
    symlinkSync(real, userFile);
    install();
    expect(lstatSync(userFile).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toContain("capture.cjs");
    uninstall();
    expect(lstatSync(userFile).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toBe("{}\n");
  });

  it("keeps the user's edits and a copy of the file", () => {
    writeSettings('{\n  "model": "x"\n}\n');
    install();
    writeFileSync(userFile, readFileSync(userFile, "utf8").replace('"x"', '"y"'));
    const [removed] = uninstall();
    expect(removed).toMatchObject({ outcome: "edited", backup: expect.stringContaining(home.data) });
    expect(readFileSync(userFile, "utf8")).toBe('{\n  "model": "y"\n}\n');
  });

  it("says when it is there already, and follows the package when it moves", () => {
    writeSettings("{}\n");
    install();
    const first = readFileSync(userFile, "utf8");
    expect(prepareInstall(request()).state).toBe("current");
    install();
    expect(readFileSync(userFile, "utf8")).toBe(first);
    placePackage("elsewhere");
    expect(prepareInstall(request({ place: "elsewhere" })).state).toBe("update");
    install({ place: "elsewhere" });
    expect(readFileSync(userFile, "utf8")).toBe(first.replaceAll("/package/", "/elsewhere/"));
    expect(uninstall()).toEqual([{ file: userFile, outcome: "restored" }]);
    expect(readFileSync(userFile, "utf8")).toBe("{}\n");
  });

  it.each([
    ["broken JSON", "{", "settings-invalid"],
    ["bytes that are no text", Buffer.from([0x7b, 0xff, 0x7d]), "not-text"],
  ])("refuses %s and changes nothing", (_name, content, code) => {
    mkdirSync(path.dirname(userFile));
    writeFileSync(userFile, content);
    const before = tree(path.join(folder, "user"));
    expect(() => install()).toThrow(expect.objectContaining({ code }));
    expect(tree(path.join(folder, "user"))).toEqual(before);
  });

  it.each([
    ["a file that is read-only", () => writeSettings("{}", 0o444), /read-only/],
    ["a folder in its place", () => mkdirSync(userFile, { recursive: true }), /not a file/],
    [
      "a link that leads nowhere",
      () => {
        mkdirSync(path.dirname(userFile));
        symlinkSync("/nowhere/at/all", userFile);
      },
      /link to a file that is not there/,
    ],
  ])("refuses %s and changes nothing", (_name, furnish, message) => {
    furnish();
    const before = tree(path.join(folder, "user"));
    expect(() => install()).toThrow(message);
    expect(tree(path.join(folder, "user"))).toEqual(before);
  });

  it("gives way to a program that writes at the same time", () => {
    writeSettings("{}\n");
    const prepared = prepareInstall(request());
    writeFileSync(userFile, '{"theirs": 1}\n');
    expect(() => carryOutInstall(prepared, now)).toThrow(/changed by another program/);
    expect(readFileSync(userFile, "utf8")).toBe('{"theirs": 1}\n');
    expect(readReceipt(home).installations).toEqual([]);
    expect(readdirSync(path.dirname(userFile))).toEqual(["settings.json"]);
  });
});

describe("several scopes", () => {
  it("are undone together, each file as it was", () => {
    mkdirSync(path.join(folder, "project"));
    const before = tree(folder);
    for (const scope of scopes) install({ scope });
    expect(readReceipt(home).installations.map(({ scope }) => scope)).toEqual([...scopes]);
    expect(uninstall()).toHaveLength(3);
    expect(tree(folder)).toEqual(before);
  });

  it("leave what hooks may know while one is still there", () => {
    mkdirSync(path.join(folder, "project"));
    install();
    install({ scope: "local" });
    carryOutUninstall(home, prepareUninstall({ home, claude: request().claude, scopes: ["local"] }), now);
    expect(existsSync(runtimeFile(home))).toBe(true);
    expect(readFileSync(userFile, "utf8")).toContain("capture.cjs");
  });
});

describe("a receipt", () => {
  it("that is lost is not needed", () => {
    writeSettings('{\n  "model": "x"\n}\n');
    install();
    rmSync(receiptFile(home));
    expect(uninstall()).toMatchObject([{ outcome: "edited" }]);
    expect(readFileSync(userFile, "utf8")).toBe('{\n  "model": "x"\n}\n');
  });

  it("that cannot be read is not guessed at", () => {
    install();
    writeFileSync(receiptFile(home), "{}");
    expect(() => uninstall()).toThrow(expect.objectContaining({ code: "settings-invalid" }));
  });

  it("outlives the file it tells of", () => {
    writeSettings("{}");
    install();
    rmSync(userFile);
    expect(uninstall()).toEqual([{ file: userFile, outcome: "unchanged" }]);
    expect(existsSync(userFile)).toBe(false);
  });
});
