// Holds a network namespace open and carries its loopback port to a socket file outside: `node keeper.mjs SOCKET`.
import { connect, createServer } from "node:net";

const [socketFile] = process.argv.slice(2);

const server = createServer((inside) => {
  const outside = connect(socketFile);
  inside.pipe(outside).pipe(inside);
  // Either side may vanish at any time; then the other has nobody to talk to.
  inside.on("error", () => outside.destroy());
  outside.on("error", () => inside.destroy());
  inside.on("close", () => outside.destroy());
  outside.on("close", () => inside.destroy());
});

server.listen(0, "127.0.0.1", () => console.log(server.address().port));
// The tests hold the other end of stdin: when they are gone, however that came, the namespace goes too.
process.stdin.resume().on("end", () => process.exit(0));
