// The addresses that other programs of this kind serve too, under the same names.
import { expect, it } from "vitest";
import { configSchema } from "../../config/schema.ts";
import { routes } from "./table.ts";

it.each([
  "GET /",
  "GET /health",
  "GET /stream",
  "GET /api/search",
  "GET /api/prompts",
  "GET /api/observations",
  "GET /api/summaries",
  "GET /api/stats",
  "GET /api/settings",
  "POST /api/settings",
])("%s is served", (route) => {
  expect(Object.keys(routes)).toContain(route);
});

it("the port is 37777 unless it is set", () => {
  expect(configSchema.parse({}).worker.port).toBe(37_777);
});
