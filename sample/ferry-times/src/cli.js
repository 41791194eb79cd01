#!/usr/bin/env node
// ferry-times HARBOUR [--at "2026-03-13 23:50"]
import { readFile } from "node:fs/promises";
import { nextDepartures } from "./departures.js";
import { formatBoard } from "./format.js";
import { readTimetable } from "./timetable.js";

const [harbour, ...flags] = process.argv.slice(2);
const at = flags[flags.indexOf("--at") + 1];
const instant = flags.includes("--at") ? new Date(at.replace(" ", "T")) : new Date();
const timetable = await readTimetable(new URL("../data/timetable.json", import.meta.url));
const holidays = JSON.parse(await readFile(new URL("../data/holidays.json", import.meta.url), "utf8"));
const departures = nextDepartures(timetable, { harbour, instant, holidays });
console.log(departures.length === 0 ? "No more boats today." : formatBoard(departures));
