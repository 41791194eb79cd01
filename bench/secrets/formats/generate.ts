// Makes the second labelled set from public descriptions of formats: services × notations, and near misses.
import { createHash } from "node:crypto";
import type { Label, Labelled } from "../generate.ts";
import { alphabets, Random } from "../random.ts";
import { nearMisses } from "./nearMisses.ts";
import { fileNotations, type Notation } from "./notations.ts";
import { type Service, services } from "./services.ts";
import { codeNotations, commandNotations, spokenNotations } from "./spoken.ts";

export type Part = "tuned" | "held-out";

/**
 * A third is set aside by the name of a service, notation or idea, so that rules are measured on services and on
 * notations they were never tuned on: both of a held-out text are held out.
 */
const partOf = (id: string): Part =>
  (createHash("sha256").update(`formats/${id}`).digest()[0] ?? 0) % 3 === 0 ? "held-out" : "tuned";

const allNotations: readonly Notation[] = [
  ...fileNotations,
  ...codeNotations,
  ...commandNotations,
  ...spokenNotations,
];

const SIGNS = `${alphabets.lower}!@#$%^&*(-_=+)`;

function fill(format: string, random: Random): string {
  return format.replace(/\{(\w+):(\d+)\}/g, (_, alphabet: string, digits: string) => {
    const length = Number(digits);
    if (alphabet === "uuid") return random.uuid();
    if (alphabet === "bytes") return random.base64(length);
    if (alphabet === "signs")
      return `k7${Array.from({ length: length - 2 }, () => random.pick([...SIGNS])).join("")}`;
    return random.text(alphabet as keyof typeof alphabets, length);
  });
}

const passwordNames = [
  ...["password", "DB_PASSWORD", "db_password", "SMTP_PASSWORD", "adminPassword", "redis_password"],
  ...["rootPassword", "MYSQL_ROOT_PASSWORD", "user_passwd", "ADMIN_PASS", "keystorePassword", "db_pwd"],
];

const words = [
  "Lantern",
  "cobalt",
  "Meadow",
  "glacier",
  "Pepper",
  "violet",
  "Anchor",
  "tundra",
  "Copper",
  "willow",
];

function password(random: Random): string {
  const sign = random.pick([..."!@#%^*+~?"]);
  const forms = [
    () => `${random.pick(words)}${sign}${random.below(9_000) + 1_000}`,
    () => `${random.text("alnum", 11)}${random.below(10)}`,
    () => `${random.text("alnum", 7)}${sign}${random.text("alnum", 7)}${random.below(10)}`,
    () => `${random.pick(words)}-${random.pick(words)}-${random.below(90) + 10}`,
    () => `${random.text("lower", 9)}${random.below(10)}`,
    () => `${random.text("hex", 23)}${random.below(10)}`,
    () => `${random.pick(words)}${random.below(900) + 100}${random.pick(words)}${sign}`,
  ];
  return random.pick(forms)();
}

interface Value {
  readonly kind: string;
  readonly name: string;
  make(): string;
}

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/_+/)
    .filter((word) => word !== "");
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const pascal = (name: string): string => wordsOf(name).map(capital).join("");

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** What stands for each sign of a notation; the second list is labelled. */
function fillers(random: Random, value: Value): [Record<string, string>, Record<string, string>] {
  const { name } = value;
  const made = value.make();
  const names = {
    N: wordsOf(name).join("_").toUpperCase(),
    n: wordsOf(name).join("_"),
    c: pascal(name).replace(/^./, (letter) => letter.toLowerCase()),
    P: pascal(name),
    k: wordsOf(name).join("-"),
  };
  const labelled = {
    v: made,
    w: value.make(),
    b: base64(made),
    a: base64(`mira:${made}`),
    u: encodeURIComponent(made),
    i: `AKIA${random.text("upper", 16)}`,
    o: random.text("upper", 32),
    g: random.base64(32),
    m: `$6$${random.text("alnum", 12)}$${random.text("alnum", 86)}`,
    j: `${random.text("lower", 6)}.${random.text("lower", 16)}`,
  };
  return [names, labelled];
}

function write([id, , notation]: Notation, value: Value, random: Random): Labelled {
  const [names, labelled] = fillers(random, value);
  const secrets: Label[] = [];
  let text = "";
  for (const piece of notation.split(/(‹\w›)/)) {
    const sign = /^‹(\w)›$/.exec(piece)?.[1];
    const secret = sign === undefined ? undefined : labelled[sign];
    if (secret !== undefined)
      secrets.push({
        kind: `${value.kind} in ${id}`,
        start: text.length,
        end: text.length + secret.length,
      });
    text += sign === undefined ? piece : (secret ?? names[sign] ?? piece);
  }
  return { text, secrets };
}

function valueFor(random: Random, service: Service | undefined): Value {
  if (service === undefined)
    return { kind: "password", name: random.pick(passwordNames), make: () => password(random) };
  const format = random.pick(service.formats);
  return { kind: service.id, name: random.pick(service.names), make: () => fill(format, random) };
}

/** Notations that a service's value may stand in: an address is no part of another address. */
function fits([id, takes, text]: Notation, service: Service): boolean {
  if (takes === "password" || (takes === "shaped" && !service.isShaped)) return false;
  const isAddress = service.formats.some((format) => format.includes("://"));
  return !(
    isAddress &&
    (/:\/\/|-H |ader|query|url|form|cookie|token$/i.test(id + text) || takes === "token")
  );
}

/** The same set for the same seed. Every service and every notation of the part is in it several times. */
export function generateFormats(part: Part, seed = "1"): Labelled[] {
  const random = new Random(`formats/${part}/${seed}`);
  const mine = services.filter(({ id }) => partOf(`service/${id}`) === part);
  const notations = allNotations.filter(([id]) => partOf(`notation/${id}`) === part);
  const byService = mine.flatMap((service) =>
    [1, 2].map(() => {
      const notation = random.pick(notations.filter((each) => fits(each, service)));
      return write(notation, valueFor(random, service), random);
    }),
  );
  const byNotation = notations.flatMap((notation) =>
    [1, 2].map(() => {
      const takers = mine.filter((service) => fits(notation, service));
      const isPassword = notation[1] === "password" || (notation[1] === "any" && random.below(3) === 0);
      return write(notation, valueFor(random, isPassword ? undefined : random.pick(takers)), random);
    }),
  );
  const negatives = nearMisses
    .filter(([id]) => partOf(`near-miss/${id}`) === part)
    .flatMap(([, make]) => make(random).map((text) => ({ text, secrets: [] })));
  return [...byService, ...byNotation, ...negatives];
}

/** How many services and notations the set is made of. */
export const formatCounts = { services: services.length, notations: allNotations.length };
