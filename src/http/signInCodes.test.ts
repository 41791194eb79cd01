// Codes that sign a browser in: good once, for two minutes, and not by guessing.

import { describe, expect, it } from "vitest";
import { MINUTE } from "../lib/index.ts";
import { makeSignInCodes } from "./signInCodes.ts";

const at = { time: 1_000_000 };
const clock = { now: () => at.time };

describe("an invitation", () => {
  it("is good once", () => {
    const codes = makeSignInCodes(clock);
    const { code } = codes.invite();
    expect(code).toMatch(/^[\w-]{43}$/);
    expect(codes.redeem(code)).toBe("good");
    expect(codes.redeem(code)).toBe("wrong");
  });

  it("is good for two minutes", () => {
    const codes = makeSignInCodes(clock);
    const { code, expiresAt } = codes.invite();
    const late = codes.invite();
    expect(Date.parse(expiresAt)).toBe(at.time + 2 * MINUTE);
    at.time += 2 * MINUTE - 1;
    expect(codes.redeem(code)).toBe("good");
    at.time += 1;
    expect(codes.redeem(late.code)).toBe("wrong");
  });

  it("does not end another one", () => {
    const codes = makeSignInCodes(clock);
    const [first, second] = [codes.invite(), codes.invite()];
    expect(codes.redeem(second.code)).toBe("good");
    expect(codes.redeem(first.code)).toBe("good");
  });

  it("cannot be guessed at any pace: after many wrong codes nothing is looked at for a minute", () => {
    const codes = makeSignInCodes(clock);
    const { code } = codes.invite();
    for (let tried = 0; tried < 30; tried++) expect(codes.redeem(`${code}${tried}`)).toBe("wrong");
    expect(codes.redeem(code)).toBe("too-many");
    at.time += MINUTE;
    expect(codes.redeem(code)).toBe("good");
    expect(codes.redeem("")).toBe("wrong");
  });
});
