// Where things live on each platform, and names that every file system takes.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chosenSeed } from "../../test/seed.ts";
import { resolveHome, safeName } from "./paths.ts";

describe("resolveHome", () => {
  it("follows XDG, or its defaults", () => {
    const homeFolder = "/home/dev";
    expect(resolveHome({ env: {}, platform: "linux", homeFolder })).toEqual({
      config: "/home/dev/.config/throughline",
      data: "/home/dev/.local/share/throughline",
      state: "/home/dev/.local/state/throughline",
    });
    const env = { XDG_CONFIG_HOME: "/c", XDG_DATA_HOME: "/d", XDG_STATE_HOME: "/s" };
    expect(resolveHome({ env, platform: "darwin", homeFolder })).toEqual({
      config: "/c/throughline",
      data: "/d/throughline",
      state: "/s/throughline",
    });
  });

  it("uses the local application folder on Windows", () => {
    const sources = { platform: "win32", homeFolder: "C:\\Users\\开发" } as const;
    expect(resolveHome({ ...sources, env: { LOCALAPPDATA: "D:\\Local" } }).data).toBe(
      "D:\\Local\\throughline\\data",
    );
    expect(resolveHome({ ...sources, env: {} }).config).toBe(
      "C:\\Users\\开发\\AppData\\Local\\throughline\\config",
    );
  });

  it("is moved as a whole by THROUGHLINE_HOME", () => {
    const env = { THROUGHLINE_HOME: "/elsewhere", XDG_DATA_HOME: "/d" };
    expect(resolveHome({ env, platform: "linux", homeFolder: "/home/dev" })).toEqual({
      config: "/elsewhere/config",
      data: "/elsewhere/data",
      state: "/elsewhere/state",
    });
  });
});

describe("safeName", () => {
  it.each([
    "my-app",
    "5f1c9a3e-0000-4000-8000-0123456789ab",
    "file.name_2",
    "项目",
    "हिन्दी",
    "x".repeat(120),
  ])("leaves %s as it is", (name) => {
    expect(safeName(name)).toBe(name);
  });

  it.each([
    ["/home/dev/my app", /^home-dev-my-app-[0-9a-f]{8}$/],
    ["..", /^_-[0-9a-f]{8}$/],
    ["", /^_-[0-9a-f]{8}$/],
    ["CON", /^_CON-[0-9a-f]{8}$/],
    ["nul.txt", /^_nul\.txt-[0-9a-f]{8}$/],
    ["C:\\Users\\dev", /^C-Users-dev-[0-9a-f]{8}$/],
    ["trailing.", /^trailing-[0-9a-f]{8}$/],
  ])("turns %j into one component", (name, expected) => {
    expect(safeName(name)).toMatch(expected);
  });

  it("keeps names apart that look the same once they are cleaned or cut", () => {
    const names = ["a b", "a/b", "a:b", "a-b", "é", "e\u0301", `${"x".repeat(130)}1`, `${"x".repeat(130)}2`];
    expect(new Set(names.map(safeName)).size).toBe(names.length);
  });

  it("cuts by bytes and between characters", () => {
    const name = safeName("𠮷".repeat(100));
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(120);
    expect(name).toMatch(/^𠮷{27}-[0-9a-f]{8}$/u);
  });

  it("is safe, short and stable for any name at all", () => {
    const anyName = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.array(fc.nat({ max: 0xffff }), { maxLength: 80 }).map((units) => String.fromCharCode(...units)),
    );
    fc.assert(
      fc.property(anyName, (name) => {
        const safe = safeName(name);
        expect(safe).toMatch(/^[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}._-]*$/u);
        expect(safe).not.toMatch(/[.-]$/);
        expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(120);
        expect(safeName(safe)).toBe(safe);
      }),
      { numRuns: 1_000, seed: chosenSeed() },
    );
  });
});
