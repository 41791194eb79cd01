// Holds a network namespace open and carries its loopback port to a socket file outside: `node namespaceHolder.mjs SOCKET`.
import { readdirSync, readlinkSync } from "node:fs";
import { connect, createServer } from "node:net";

const [socketFile] = process.argv.slice(2);

const server = createServer((inside) => {
  const outside = connect(socketFile);
  inside.pipe(outside).pipe(inside);
  // Either side may vanish at any time; then the other is closed too.
  inside.on("error", () => outside.destroy());
  outside.on("error", () => inside.destroy());
  inside.on("close", () => outside.destroy());
  outside.on("close", () => inside.destroy());
});

function namespaceOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return undefined;
  }
}

/** Ends whatever else is in this namespace: it was started by the tests, directly or not. */
function endOthers() {
  const own = namespaceOf("self");
  for (const pid of readdirSync("/proc").map(Number)) {
    if (!(pid > 1) || pid === process.pid || namespaceOf(pid) !== own) continue;
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      // Gone meanwhile is what was wanted.
      if (error.code !== "ESRCH") console.error(`process ${pid} could not be ended: ${error.message}`);
    }
  }
}

server.listen(0, "127.0.0.1", () => console.log(server.address().port));
// The tests hold the other end of stdin: when they are gone, however that came, everything in here goes too.
process.stdin.resume().on("end", () => {
  endOthers();
  process.exit(0);
});
