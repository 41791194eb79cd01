// Dates in a question: days, parts of months, and the text without them.
import { expect, it } from "vitest";
import { dateAgreement, datesIn, withoutDates } from "./asked.ts";

const at = (day: string) => Date.parse(`${day}T12:00:00.000Z`);
const NOW = at("2026-03-20");

it.each([
  ["what was decided on January 23", "2026-01-23", "2026-03-01"],
  ["in the first week of January", "2026-01-05", "2026-01-25"],
  ["before mid-February", "2026-02-13", "2026-02-28"],
  ["as of early March", "2026-03-04", "2026-03-25"],
  ["1月23日的决定", "2026-01-23", "2026-03-01"],
])("%s is about %s and not about %s", (text, inside, outside) => {
  const dates = datesIn(text);
  expect(dateAgreement(dates, at(inside))).toBe(1);
  expect(dateAgreement(dates, at(outside))).toBeLessThan(1);
});

it("takes the words of dates out of a text, relative ones too, and leaves may alone", () => {
  expect(withoutDates("What did we do about 162 on February 8?", NOW).replace(/\s+/g, " ")).toBe(
    "What did we do about 162 on ?",
  );
  expect(withoutDates("what broke yesterday evening", NOW).trim()).toBe("what broke");
  expect(withoutDates("it may fail", NOW)).toBe("it may fail");
});
