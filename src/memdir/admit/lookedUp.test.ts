// Facts that can be looked up are told from those that cannot, by looking: on labelled sentences about a small repository.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { brewhouse } from "../../../test/fixtures/memory/derivable/brewhouse.ts";
import { makeCourier } from "../../../test/fixtures/memory/derivable/courierRepository.ts";
import { farmTours } from "../../../test/fixtures/memory/derivable/farmTours.ts";
import { footlight } from "../../../test/fixtures/memory/derivable/footlight.ts";
import { granary } from "../../../test/fixtures/memory/derivable/granary.ts";
import { kennel } from "../../../test/fixtures/memory/derivable/kennel.ts";
import { halvesOf, labelledSentences } from "../../../test/fixtures/memory/derivable/labelledSentences.ts";
import { larder } from "../../../test/fixtures/memory/derivable/larder.ts";
import { observatory } from "../../../test/fixtures/memory/derivable/observatory.ts";
import {
  makeRepository,
  otherRepositories,
} from "../../../test/fixtures/memory/derivable/otherRepositories.ts";
import { tidewatch } from "../../../test/fixtures/memory/derivable/tidewatch.ts";
import { newPlace } from "../../../test/fixtures/memory/newPlace.ts";
import { type Place, readPlaces } from "../../claims/index.ts";
import { judgeDerivable } from "./derivable.ts";
import { type SaveRequest, saveMemory } from "./save.ts";

const folder = mkdtempSync(path.join(tmpdir(), "throughline-courier-"));
const root = path.join(folder, "courier");
let places: readonly Place[] = [];
beforeAll(async () => {
  makeCourier(root);
  places = await readPlaces(root, 30_000);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const [seen, unseen] = halvesOf(labelledSentences);

describe("the labelled sentences", () => {
  it("are 120 at least, a third of them Chinese, and half of them were set aside", () => {
    expect(labelledSentences.length).toBeGreaterThanOrEqual(120);
    const chinese = labelledSentences.filter(({ text }) => /\p{Script=Han}/u.test(text));
    expect(chinese.length * 10).toBeGreaterThanOrEqual(labelledSentences.length * 3);
    expect(Math.abs(seen.length - unseen.length)).toBeLessThanOrEqual(2);
  });

  it.each([
    ["derivable ones of the half that the rules were made on", seen, true],
    ["other ones of the half that the rules were made on", seen, false],
    ["derivable ones of the half that was set aside", unseen, true],
    ["other ones of the half that was set aside", unseen, false],
  ] as const)("are judged right, 9 of 10 at least: %s", (_which, half, isDerivable) => {
    const asked = half.filter((sentence) => sentence.isDerivable === isDerivable);
    const wrong = asked.filter(
      ({ text, type }) =>
        (judgeDerivable({ type, body: text }, [], places).kind === "derivable") !== isDerivable,
    );
    expect(1 - wrong.length / asked.length, wrong.map(({ text }) => text).join("\n")).toBeGreaterThanOrEqual(
      0.9,
    );
  });
});

const sets = [larder, tidewatch, kennel, footlight, granary, farmTours, observatory, brewhouse];

describe.each([...otherRepositories, ...sets])(
  "sentences about $name",
  ({ name, derivable, others, ...repository }) => {
    it("are judged right, 9 of 10 at least, both ways", async () => {
      const other = path.join(folder, name);
      makeRepository(other, repository);
      const found = await readPlaces(other, 30_000);
      const isDerivable = ([type, body]: (typeof derivable)[number]) =>
        judgeDerivable({ type, body }, [], found).kind === "derivable";
      const missed = derivable.filter((sentence) => !isDerivable(sentence));
      const lost = others.filter(isDerivable);
      expect(1 - missed.length / derivable.length, missed.join("\n")).toBeGreaterThanOrEqual(0.9);
      expect(1 - lost.length / others.length, lost.join("\n")).toBeGreaterThanOrEqual(0.9);
    });
  },
);

it.each([
  ["the reason stands in the code", "fetchStatus returns undefined because MAX_RETRIES is 5.", true],
  ["the reason stands nowhere", "fetchStatus returns undefined because the bank wanted it quiet.", false],
  ["the name is written with its owner", "`ParcelService.registerParcel` calls insert.", true],
  ["its owner is not there", "`OrderService.registerOrder` calls insert.", false],
  ["a condition joins names of one place", "`VAT_RATE` 和 `net` 必须在 computeInvoice 里。", true],
  ["a condition says what is forbidden", "`computeInvoice` 不能改。", false],
])("is looked up where %s", (_where, body, isDerivable) => {
  expect(judgeDerivable({ type: "project", body }, [], places).kind === "derivable").toBe(isDerivable);
});

describe("a memory that is saved", () => {
  const place = newPlace();
  let request: SaveRequest;
  beforeEach(() => {
    request = {
      ...{ name: "Retries", description: "how often the carrier is asked", type: "project", author: "user" },
      body: "fetchStatus tries again up to MAX_RETRIES times.",
    };
  });

  it("is refused with the question when the repository has it", async () => {
    const outcome = await saveMemory(place, request, { root });
    expect(outcome).toMatchObject({ outcome: "refused", reason: "derivable", found: [{ kind: "found" }] });
    expect(outcome).toMatchObject({ message: expect.stringContaining("What was surprising about it?") });
  });

  it("is kept in the part that was surprising", async () => {
    const surprising = "The carrier blocks the account at the sixth call.";
    expect(await saveMemory(place, { ...request, surprising }, { root })).toMatchObject({
      memory: { body: surprising },
    });
  });

  it("is kept whole when it gives the reason", async () => {
    const body = "MAX_RETRIES is 5 because the carrier blocks the account at the sixth call.";
    expect(await saveMemory(place, { ...request, body }, { root })).toMatchObject({ memory: { body } });
  });

  it("is refused when git has it", async () => {
    const body = "ShipmentService was renamed to ParcelService.";
    expect(await saveMemory(place, { ...request, body }, { root })).toMatchObject({ reason: "derivable" });
    expect(await saveMemory(place, { ...request, body })).toMatchObject({ outcome: "saved" });
  });
});

it("gives up in time, and then nothing was found", async () => {
  expect((await readPlaces(root, 0)).filter(({ kind }) => kind === "file")).toEqual([]);
  expect(await readPlaces(path.join(folder, "gone"), 1_000)).toEqual([{ kind: "tree", name: "", text: "" }]);
});
