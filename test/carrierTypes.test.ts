// The types that the mod has of its carrier are those of the carrier: the compiler compares them, in both directions.
import { describe, expect, it } from "vitest";
import * as declared from "../plugin/mods/hooks/carrier.js";
import { type CarrierSeam, LiveCarrier, type RequestFacts } from "../src/live/carrier.ts";

const facts: declared.RequestFacts = { kind: "count", session: "s", project: "/work" };
const ownFacts: RequestFacts = facts;

const seam: declared.CarrierSeam = {
  ask: async () => undefined,
  tell: () => undefined,
  record: async () => undefined,
  summarise: async () => undefined,
  say: () => undefined,
};
const ownSeam: CarrierSeam = seam;

describe("the declared carrier", () => {
  it("has the methods that the mod calls, and answers as the source does", async () => {
    const own: declared.LiveCarrier = new LiveCarrier("mod", ownSeam);
    const built: Pick<LiveCarrier, "edited"> = new declared.LiveCarrier("mod", seam);
    const text = '{"messages":[]}';
    expect(await built.edited(text, ownFacts)).toEqual(await own.edited(text, facts));
    expect(await own.recovered(text, facts, { attempt: 0 }, await own.edited(text, facts))).toBeUndefined();
  });
});
