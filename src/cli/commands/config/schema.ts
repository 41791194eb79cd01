// `throughline config schema`: the JSON Schema of a configuration file.
import { configJsonSchema } from "../../../config/index.ts";
import { defineCommand } from "../../command.ts";

export default defineCommand({
  args: {},
  examples: [
    { line: "throughline config schema > config.schema.json", does: "for an editor to check against" },
  ],
  run() {
    const schema = configJsonSchema();
    return { data: schema, text: JSON.stringify(schema, null, 2) };
  },
});
