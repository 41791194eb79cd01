// Prints what every board shows at every second hour of a week: far more than anybody reads.
import { readFile } from "node:fs/promises";
import { nextDepartures } from "./departures.js";
import { readTimetable } from "./timetable.js";

const timetable = await readTimetable(new URL("../data/timetable.json", import.meta.url));
const holidays = JSON.parse(await readFile(new URL("../data/holidays.json", import.meta.url), "utf8"));
const harbours = [...new Set(timetable.sailings.map(({ from }) => from))];
let serial = 0;
for (let hour = 0; hour < 7 * 24; hour += 2) {
  const instant = new Date(2026, 2, 9, hour, 10);
  for (const harbour of harbours) {
    const [next] = nextDepartures(timetable, { harbour, instant, holidays });
    const shown = next ? `${next.clock} ${next.line} to ${next.to} from pier ${next.pier}` : "NO BOAT";
    const when = `${instant.toDateString().slice(0, 3)} ${String(instant.getHours()).padStart(2, "0")}:10`;
    console.log(`trace ${String(++serial).padStart(4, "0")} board[${harbour}] ${when} next ${shown}`);
  }
}
