#!/usr/bin/env node
// The `throughline` command: hands the command line over and leaves with its exit code.
import { main } from "./run.ts";

for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // The reader has seen enough (`| head`): that is no failure.
    if (error.code === "EPIPE") process.exit();
    throw error;
  });
}

process.exitCode = await main(process.argv.slice(2));
