// Which cookies sign a browser in, and which do not.

import { describe, expect, it } from "vitest";
import { DAY } from "../lib/index.ts";
import { isHalfOver, signedInCookie, signedInUntil, signedOutCookie } from "./cookie.ts";

const now = Date.parse("2026-11-20T12:00:00Z");
const sealer = { port: 37_777, token: "a-token-of-the-state-folder-0123456789" };
const cookie = signedInCookie(sealer, now).split(";")[0] ?? "";

describe("the cookie", () => {
  it("is for this worker's browser alone: not for scripts, not for requests of other sites", () => {
    expect(signedInCookie(sealer, now)).toMatch(
      /^throughline-37777=[\w.-]+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    );
    expect(signedOutCookie(37_777)).toBe("throughline-37777=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict");
  });

  it("is good for thirty days, also to a worker that was started since", () => {
    expect(signedInUntil(cookie, { ...sealer }, now)).toBe(now + 30 * DAY);
    expect(signedInUntil(cookie, sealer, now + 30 * DAY - 1)).toBe(now + 30 * DAY);
    expect(signedInUntil(cookie, sealer, now + 30 * DAY)).toBeUndefined();
  });

  it("is not good at another port, nor under another token", () => {
    const renamed = cookie.replace("37777", "37778");
    expect(signedInUntil(cookie, { ...sealer, port: 37_778 }, now)).toBeUndefined();
    expect(signedInUntil(renamed, { ...sealer, port: 37_778 }, now)).toBeUndefined();
    expect(signedInUntil(cookie, { ...sealer, token: "another" }, now)).toBeUndefined();
  });

  it("cannot be made longer, shorter or of anything else", () => {
    const [name, value = ""] = cookie.split("=");
    const [until, seal] = value.split(".");
    const forged = [
      `${Number(until) + 1}.${seal}`,
      `${Number(until) * 10}.${seal}`,
      `${until}.${seal?.slice(1)}`,
      `${until}.${"A".repeat(43)}`,
      `${until}.`,
      `.${seal}`,
      `0x1.${seal}`,
      "",
      "true",
    ];
    for (const given of forged)
      expect([given, signedInUntil(`${name}=${given}`, sealer, now)]).toEqual([given, undefined]);
    expect(signedInUntil(undefined, sealer, now)).toBeUndefined();
    expect(signedInUntil(`x${cookie}`, sealer, now)).toBeUndefined();
  });

  it("is found beside others, also beside false ones of its name", () => {
    expect(signedInUntil(`a=b; throughline-37777=x; ${cookie}; c=d`, sealer, now)).toBeDefined();
  });

  it("is renewed in the second half of its life", () => {
    expect(isHalfOver(now + 30 * DAY, now)).toBe(false);
    expect(isHalfOver(now + 14 * DAY, now)).toBe(true);
  });
});
