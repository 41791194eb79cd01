// A worker that is killed again and again while eight processes spool.
import { it } from "vitest";
import { endWorkers } from "./endWorkers.ts";
import { workerHome } from "./workers.ts";

const place = workerHome();

it("1,000 events of 8 processes are kept once, with the worker killed at every 50", () =>
  endWorkers(place, "SIGKILL", 125));
