#!/usr/bin/env node
// The `throughline` command.
import { main } from "./run.ts";
import { endWithReader } from "./terminal.ts";

endWithReader();
process.exitCode = await main(process.argv.slice(2));
