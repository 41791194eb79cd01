// PGlite, which is PostgreSQL in WebAssembly, behind a port: `node pgliteServer.mjs FOLDER`, where its packages are installed.
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [folder] = process.argv.slice(2);
const installed = createRequire(path.join(folder, "package.json"));
const load = (name) => import(pathToFileURL(installed.resolve(name)));
const { PGlite } = await load("@electric-sql/pglite");
const { PGLiteSocketServer } = await load("@electric-sql/pglite-socket");

const db = await PGlite.create();
// Its one session is that of a superuser, whom no policy binds.
await db.exec(`CREATE ROLE throughline LOGIN NOSUPERUSER NOBYPASSRLS; GRANT ALL ON DATABASE postgres TO throughline;
  SET SESSION AUTHORIZATION throughline`);
const server = new PGLiteSocketServer({ db, port: 0, host: "127.0.0.1", maxConnections: 50 });
await server.start();
console.log(server.getServerConn());
// The tests hold the other end: when they are gone, however that came, so is this.
process.stdin.resume().on("end", () => process.exit(0));
