// A worker that is stopped again and again while eight processes spool.
import { it } from "vitest";
import { endWorkers } from "./endWorkers.ts";
import { workerHome } from "./workers.ts";

const place = workerHome();

it("320 events of 8 processes are kept once, with the worker stopped in the middle", () =>
  endWorkers(place, "SIGTERM", 40));
