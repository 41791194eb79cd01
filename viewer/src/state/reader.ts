// Who reads: language, the time now, and where days begin.
import { computed, signal } from "@preact/signals";
import type { Reader } from "../parts/format.ts";
import { language } from "./look.ts";

const MINUTE = 60_000;
const now = signal(Date.now());

/** `3 min ago` has to change by itself. */
setInterval(() => {
  now.value = Date.now();
}, MINUTE / 2);

/** One offset for all days: counts by day and the rows below them have to agree. */
const offset = -new Date().getTimezoneOffset();

export const reader = computed<Reader>(() => ({ language: language.value, now: now.value, offset }));
