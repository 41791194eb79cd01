// The schema as editors want it.
import { z } from "zod";
import { configSchema } from "./schema.ts";

/** The JSON Schema of a configuration file. */
export function configJsonSchema(): object {
  const { $schema, properties, ...rest } = z.toJSONSchema(configSchema, { io: "input" });
  return {
    $schema,
    title: "Throughline configuration",
    ...rest,
    properties: { $schema: { type: "string" }, ...properties },
  };
}
