// Which folders an exclusion covers.
import { describe, expect, it } from "vitest";
import { isExcluded } from "./captureRules.ts";

describe("isExcluded", () => {
  it.each([
    ["/home/dev/app", "/home/dev/app"],
    ["/home/dev/app/src/deep", "/home/dev/app"],
    ["/home/dev/app", "/home/dev/app/"],
    ["/home/dev/app.v2 (old)", "/home/dev/app.v2 (old)"],
    ["/home/dev/client-a/src", "/home/*/client-?"],
    ["/srv/x/y/secret/z", "/srv/**/secret"],
    ["/srv/secret", "/srv/**/secret"],
    ["/srv/a/b", "/srv/**"],
    ["/anything", "/"],
    ["C:\\Users\\dev\\app\\src", "C:/Users/dev/app"],
  ])("covers %s by %s", (folder, entry) => {
    expect(isExcluded(folder, ["/unrelated", entry])).toBe(true);
  });

  it.each([
    ["/home/dev/application", "/home/dev/app"],
    ["/home/dev", "/home/dev/app"],
    ["/home/dev/appXv2", "/home/dev/app.v2"],
    ["/home/a/b/client-a", "/home/*/client-a"],
    ["/srv/secrets", "/srv/**/secret"],
    ["/x/home/dev/app", "/home/dev/app"],
  ])("does not cover %s by %s", (folder, entry) => {
    expect(isExcluded(folder, [entry])).toBe(false);
  });
});
