// What the board shows, at any hour of the week.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nextDepartures } from "../src/departures.js";

const weekdayCommuterFixture = {
  line: "S1",
  from: "Harbour",
  to: "Skerry",
  pier: 2,
  days: ["monday", "tuesday", "wednesday", "thursday", "friday"],
  departures: ["06:15", "07:45", "17:30", "23:20"],
};
const lateNightSkerryFixture = {
  line: "N1",
  from: "Harbour",
  to: "Skerry",
  pier: 4,
  days: ["friday", "saturday"],
  departures: ["23:45", "24:35", "25:20"],
};
const timetable = { sailings: [weekdayCommuterFixture, lateNightSkerryFixture] };
const clocksAt = (when, holidays) =>
  nextDepartures(timetable, { harbour: "Harbour", instant: new Date(when), holidays }).map(({ clock }) => clock);

describe("the board", () => {
  it("shows what is left of a weekday", () => {
    assert.deepEqual(clocksAt("2026-03-11T17:00"), ["17:30", "23:20"]);
  });

  it("shows the late boats on a Friday evening", () => {
    assert.deepEqual(clocksAt("2026-03-13T23:30"), ["23:45", "24:35", "25:20"]);
  });

  it("still shows Friday's late boats after midnight", () => {
    assert.deepEqual(clocksAt("2026-03-14T00:10"), ["24:35", "25:20"]);
  });
});
