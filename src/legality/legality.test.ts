// When old content may change, in each thinking regime.
import { describe, expect, it } from "vitest";
import { identify } from "../../test/fixtures/history.ts";
import {
  APPEND_ONLY,
  call,
  KEEP_ALL,
  LEGACY,
  result,
  say,
  thinking,
  user,
} from "../../test/fixtures/pipeline/client.ts";
import type { CacheOutlook } from "../economics/index.ts";
import type { HistoryItem, Message } from "../messages/index.ts";
import { lookupModel } from "../tokens/index.ts";
import { type Legality, legalityOf } from "./legality.ts";

const cold: CacheOutlook = { predicted: "cold", ttl: "5m", idle: 1 };
const asked = [user("one"), say("answer", thinking("s")), user("two")];

function legality(
  messages: readonly Message[],
  { model = APPEND_ONLY, outlook = cold, pinned = new Set<string>(), provenance = [] as object[] } = {},
): Legality {
  const view: HistoryItem[] = identify(messages, provenance);
  return legalityOf({ model: lookupModel(model), view, outlook, pinned });
}

describe("the append-only regime", () => {
  it("allows an edit at a cold user turn, and all thinking must go with it", () => {
    expect(legality(asked)).toEqual({
      editOld: true,
      why: "",
      dropAllThinking: true,
      opensTurn: true,
      turnStart: 2,
    });
  });

  it("allows none while the cache is warm or not known", () => {
    for (const predicted of ["warm", "unknown"] as const) {
      const { editOld, why } = legality(asked, { outlook: { ...cold, predicted } });
      expect({ editOld, why }).toEqual({
        editOld: false,
        why: "claude-opus-5-5 binds thinking to all that precedes it: waiting until the cache is cold",
      });
    }
  });

  it("allows none inside a tool call, nor behind its results", () => {
    const inCall = [...asked, call("t1", "Bash"), result("t1", "ok")];
    expect(legality(inCall).why).toMatch(/waiting for a user turn with a cold cache$/);
    expect(legality([...inCall, user("instead")]).editOld).toBe(false);
  });

  it("sees the turn behind what the client adds to it", () => {
    const reminded = [...asked, user("<system-reminder>note</system-reminder>"), user("context")];
    expect(legality(reminded, { provenance: [{}, {}, {}, {}, { meta: true }] }).editOld).toBe(true);
  });

  it("allows none while a pinned message holds thinking: it could neither stay nor go", () => {
    const [, second, third] = identify(asked);
    expect(legality(asked, { pinned: new Set([second?.id ?? ""]) }).why).toMatch(
      /no pinned message holds thinking$/,
    );
    expect(legality(asked, { pinned: new Set([third?.id ?? ""]) }).editOld).toBe(true);
  });
});

describe("the other regimes", () => {
  it("allow an edit at any time and bind no thinking", () => {
    for (const model of [KEEP_ALL, LEGACY])
      for (const messages of [asked, [...asked, call("t1", "Bash"), result("t1", "ok")]]) {
        const outlook = { ...cold, predicted: "warm" as const };
        expect(legality(messages, { model, outlook })).toMatchObject({
          editOld: true,
          dropAllThinking: false,
        });
      }
  });
});

describe("the current turn", () => {
  it("begins with the last input, or with the one whose call was answered just now", () => {
    const inCall = [...asked, call("t1", "Bash"), result("t1", "ok")];
    expect(legality(asked).turnStart).toBe(2);
    expect(legality(inCall)).toMatchObject({ turnStart: 2, opensTurn: false });
    expect(legality([...inCall, user("instead")])).toMatchObject({ turnStart: 2, opensTurn: false });
    expect(legality([user("only")])).toMatchObject({ turnStart: 0, opensTurn: true });
    expect(legality([user("<system-reminder>x</system-reminder>")])).toMatchObject({
      turnStart: -1,
      opensTurn: false,
    });
  });
});
