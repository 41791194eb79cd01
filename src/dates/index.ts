// Dates in texts: relative ones made absolute, those in a question, and days as a reader writes them.

export { absoluteDates, type DateChange } from "./absolute.ts";
export { type AskedDate, dateAgreement, datesIn, withoutDates } from "./asked.ts";
export { type Calendar, calendarOf } from "./calendar.ts";
export { readTimeSpan, spanInQuestion, type TimeSpan } from "./span.ts";
