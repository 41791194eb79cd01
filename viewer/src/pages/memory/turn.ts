// Grows when a memory was changed from here: the list asks again.
import { signal } from "@preact/signals";

export const shelfTurn = signal(0);
