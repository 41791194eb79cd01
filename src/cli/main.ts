#!/usr/bin/env node
// The `throughline` command: hands the command line over and leaves with its exit code.
import { main } from "./run.ts";
import { endWithReader } from "./terminal.ts";

endWithReader();
process.exitCode = await main(process.argv.slice(2));
