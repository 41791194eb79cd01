// `throughline server`: the team's server, its people and their keys.
import { pino } from "pino";
import { DAY, isoTime, notFoundError, present, usageError } from "../../../lib/index.ts";
import { redactText } from "../../../redact/index.ts";
import { openTeamDatabase, scopes, startServer, type TeamDatabase } from "../../../server/index.ts";
import { defineCommand, defineGroup, flag, type Group, integer, operand, value } from "../../command.ts";
import { columns, counted, localMinute } from "../../output.ts";
import { write } from "../../terminal.ts";
import { exportTo, importOwn } from "./transfer.ts";

const databaseArgs = {
  database: value("url", "address of the database (default: the variable THROUGHLINE_DATABASE)"),
  schema: value("name", "schema of its tables (default: throughline)"),
};
const teamArgs = { ...databaseArgs, team: value("name", "the team (default: team)") };

interface DatabaseArgs {
  readonly database: string | undefined;
  readonly schema: string | undefined;
}

const DEFAULT_TEAM = "team";

function databaseOptions({ database, schema }: DatabaseArgs) {
  const url = database ?? process.env.THROUGHLINE_DATABASE ?? "";
  if (!/^postgres(ql)?:\/\//.test(url))
    throw usageError(
      url === "" ? "no database is named" : "the address of the database does not begin with postgres://",
      "set THROUGHLINE_DATABASE=postgres://throughline:PASSWORD@HOST/throughline, or give --database",
    );
  return { url, ...(schema === undefined ? {} : { schema }) };
}

async function withTeams<T>(args: DatabaseArgs, use: (database: TeamDatabase) => Promise<T>) {
  const database = await openTeamDatabase(databaseOptions(args));
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

const DEFAULT_PORT = 37_700;

const run = defineCommand({
  summary: "run it in the foreground",
  args: {
    ...databaseArgs,
    host: value("address", "address to listen on (default: 127.0.0.1)"),
    port: integer("number", `port to listen on (default: ${DEFAULT_PORT})`),
    cert: value("file", "certificate of TLS, PEM"),
    "cert-key": value("file", "private key of the certificate, PEM"),
    "behind-proxy": flag("a proxy in front ends TLS and sets X-Forwarded-For"),
  },
  examples: {
    "throughline server run": "on this machine, for a proxy in front of it",
    "throughline server run --host 0.0.0.0 --cert cert.pem --cert-key key.pem":
      "with a certificate of its own",
  },
  async run({ args }) {
    const { cert, "cert-key": key, host = "127.0.0.1", port = DEFAULT_PORT } = args;
    if ((cert === undefined) !== (key === undefined))
      throw usageError("--cert and --cert-key belong together", "give both, or --behind-proxy");
    const server = await startServer({
      ...{ ...databaseOptions(args), host, port, isBehindProxy: args["behind-proxy"] },
      ...(cert !== undefined && key !== undefined ? { tls: { cert, key } } : {}),
      log: pino({ base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` }, serverLog),
    });
    if (!args.json) write(`listening at ${server.address}\n`);
    await new Promise<void>((resolve) => {
      for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
    });
    await server.close();
    return { data: { address: server.address }, text: "stopped" };
  },
});

/** To standard error, one JSON document a line. */
const serverLog = { write: (line: string) => write(redactText(line).text, "stderr") };

const check = defineCommand({
  summary: "whether the database can be used, and what it offers",
  args: databaseArgs,
  examples: { "throughline server check": "connects, prepares the tables, and says what is missing" },
  run: ({ args }) =>
    withTeams(args, async (database) => {
      const { version, extensions } = await database.serverFacts();
      const useful = ["vector", "pg_textsearch", "pg_search"].filter((name) => extensions.includes(name));
      return {
        data: { version, extensions: useful },
        text: [
          `PostgreSQL ${version}: the tables are there and the role is bound by their policies`,
          `extensions for vectors and BM25 on this server: ${useful.join(", ") || "none"} (none is needed, and none is used yet)`,
        ],
      };
    }),
});

const userAdd = defineCommand({
  summary: "add a person, or set which projects a person sees",
  args: {
    name: operand("the person, such as ada"),
    ...teamArgs,
    projects: value("ids", "projects of which this person sees what is shared with the project, with commas"),
  },
  examples: { "throughline server user add ada": "then give ada a key: throughline server key add ada" },
  run: ({ args }) =>
    withTeams(args, async ({ access }) => {
      const { name, team = DEFAULT_TEAM, projects } = args;
      await access.addPerson(team, name, projects?.split(",").filter(Boolean));
      return {
        data: { team, person: name },
        text: [`${name} is in the team ${team}`, `throughline server key add ${name} --team ${team}`],
      };
    }),
});

const userList = defineCommand({
  summary: "who is in the team",
  args: teamArgs,
  examples: { "throughline server user list": "people and their projects" },
  run: ({ args }) =>
    withTeams(args, async ({ access }) => {
      const people = await access.people(args.team ?? DEFAULT_TEAM);
      const rows = people.map(({ person, projects }) => [person, projects.join(", ")]);
      return { data: { people }, text: people.length === 0 ? "no people yet" : columns(rows) };
    }),
});

const userRemove = defineCommand({
  summary: "take a person out of the team and revoke every key of theirs",
  args: { name: operand("the person"), ...teamArgs },
  examples: { "throughline server user remove ada": "what ada stored stays in the database" },
  run: ({ args }) =>
    withTeams(args, async ({ access }) => {
      const { name, team = DEFAULT_TEAM } = args;
      if ((await access.removePerson(team, name)) === 0)
        throw notFoundError(
          `${name} is not in the team ${team}`,
          `throughline server user list --team ${team}`,
        );
      return {
        data: { team, person: name },
        text: `${name} is out of the team ${team}; no key of theirs holds`,
      };
    }),
});

const DEFAULT_DAYS = 365;

const keyAdd = defineCommand({
  summary: "a new key for a person; it is shown once",
  args: {
    name: operand("the person"),
    ...teamArgs,
    scopes: value("list", `what it allows, of ${scopes.join(",")} (default: all)`),
    days: integer("count", `days until it expires (default: ${DEFAULT_DAYS})`),
    note: value("text", "what it is for, such as the machine"),
  },
  examples: {
    "throughline server key add ada": "for the machines of ada",
    "throughline server key add ada --scopes read --days 7": "to look only, for a week",
  },
  run: ({ args }) =>
    withTeams(args, async ({ access }) => {
      const { name, team = DEFAULT_TEAM, days = DEFAULT_DAYS, note = "" } = args;
      const wanted = args.scopes?.split(",").filter(Boolean) ?? [...scopes];
      const odd = wanted.find((scope) => !scopes.some((known) => known === scope));
      if (odd !== undefined) throw usageError(`${odd} is not a scope`, `--scopes takes ${scopes.join(", ")}`);
      const expiresAt = Date.now() + days * DAY;
      const { id, secret } = await access.addKey({ team, person: name, scopes: wanted, note, expiresAt });
      return {
        data: { id, secret, expiresAt: isoTime(expiresAt) },
        text: [
          secret,
          "",
          "It is shown only now. On each machine: `throughline remote connect URL`, which asks for it.",
        ],
      };
    }),
});

const keyList = defineCommand({
  summary: "keys, without their secrets",
  args: teamArgs,
  examples: { "throughline server key list": "who has which, until when" },
  run: ({ args }) =>
    withTeams(args, async ({ access }) => {
      const keys = await access.keys(args.team ?? DEFAULT_TEAM);
      const rows = keys.map(({ id, person, scopes: allowed, expiresAt, revokedAt, note }) => [
        ...[id, person, allowed.join(","), `until ${localMinute(expiresAt)}`],
        present([revokedAt !== undefined && "revoked", note]).join(" "),
      ]);
      return { data: { keys }, text: keys.length === 0 ? "no keys yet" : columns(rows) };
    }),
});

const keyRevoke = defineCommand({
  summary: "end a key, from its next transaction on",
  args: { id: operand("its id, as `server key list` prints it"), ...teamArgs },
  examples: { "throughline server key revoke key_0mz3": "requests that are under way are refused too" },
  run: ({ args }) =>
    withTeams(args, async ({ access }) => {
      const { id, team = DEFAULT_TEAM } = args;
      if (!(await access.revokeKey(team, id)))
        throw notFoundError(`the team ${team} has no key ${id} that holds`, "throughline server key list");
      return { data: { id }, text: `${id} is revoked` };
    }),
});

const DEFAULT_LINES = 50;

const audit = defineCommand({
  summary: "who did what over the server",
  args: {
    ...teamArgs,
    lines: integer("count", `how many of the newest (default: ${DEFAULT_LINES})`, { short: "n" }),
  },
  examples: { "throughline server audit -n 200": "newest first" },
  run: ({ args }) =>
    withTeams(args, async ({ access }) => {
      const lines = await access.audit(args.team ?? DEFAULT_TEAM, args.lines ?? DEFAULT_LINES);
      const rows = lines.map(({ at, person, key, action, detail }) => [
        localMinute(at),
        person,
        key,
        action,
        detail,
      ]);
      return {
        data: { lines },
        text: lines.length === 0 ? "nothing yet" : [columns(rows), counted(lines.length, "line")],
      };
    }),
});

const importCommand = defineCommand({
  summary: "give the store of this machine to a person who has nothing on the server yet",
  args: { name: operand("the person"), ...teamArgs },
  examples: {
    "throughline server import ada":
      "all rows or none; compares counts, hashes and 200 searches before it counts",
  },
  run: ({ args }) =>
    withTeams(args, (database) =>
      importOwn(database, { team: args.team ?? DEFAULT_TEAM, person: args.name }),
    ),
});

const exportCommand = defineCommand({
  summary: "write all rows of a person into a file",
  args: { name: operand("the person"), file: operand("a file that does not exist yet"), ...teamArgs },
  examples: {
    "throughline server export ada ada.jsonl": "the file appears when a store made of it is the same",
  },
  run: ({ args }) =>
    withTeams(args, (database) =>
      exportTo(database, { team: args.team ?? DEFAULT_TEAM, person: args.name }, args.file),
    ),
});

const family = (summary: string, group: Group) => ({ summary, load: async () => group });

const server: Group = {
  kind: "group",
  commands: {
    ...defineGroup({ run, check, audit, import: importCommand, export: exportCommand }, {}).commands,
    user: family(
      "people of the team",
      defineGroup(
        { add: userAdd, list: userList, remove: userRemove },
        { "throughline server user list": "who" },
      ),
    ),
    key: family(
      "keys of people",
      defineGroup(
        { add: keyAdd, list: keyList, revoke: keyRevoke },
        { "throughline server key list": "which" },
      ),
    ),
  },
  examples: {
    "throughline server check": "whether the database can be used",
    "throughline server user add ada": "a person",
    "throughline server key add ada": "a key for the machines of that person",
    "throughline server run": "the server itself",
  },
};

export default { server };
