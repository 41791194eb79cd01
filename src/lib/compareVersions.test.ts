// Which of two versions is newer.
import fc from "fast-check";
import { expect, it } from "vitest";
import { isNewer } from "./version.ts";

it.each([
  ["1.2.3", "1.2.2", true],
  ["1.10.0", "1.9.9", true],
  ["2.0.0", "1.99.99", true],
  ["1.2.3", "1.2.3", false],
  ["1.2.3", "1.2.4", false],
  ["1.0.0", "1.0.0-beta.1", true],
  ["1.0.0-beta.1", "1.0.0", false],
  ["1.0.0-beta.2", "1.0.0-beta.1", true],
  ["1.0.0-beta.10", "1.0.0-beta.9", true],
  ["1.0.1-beta.1", "1.0.0", true],
  ["0.1.0", "0.0.0-dev", true],
  ["nonsense", "1.0.0", false],
])("%s is newer than %s: %s", (a, b, expected) => expect(isNewer(a, b)).toBe(expected));

it("two versions are never both newer: workers do not replace each other for ever", () => {
  const part = fc.nat(3);
  const version = fc
    .tuple(part, part, part, fc.constantFrom("", "-a", "-b", "-a.1"))
    .map(([major, minor, patch, tail]) => `${major}.${minor}.${patch}${tail}`);
  fc.assert(fc.property(version, version, (a, b) => !(isNewer(a, b) && isNewer(b, a))));
});
