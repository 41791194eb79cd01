// Finds secrets whose file format says what they are: netrc, pgpass, Kubernetes, Docker, AWS, JWK, wallets.
import { isPlaceholder, isSecretValue } from "../assignment/values.ts";
import { type Find, type Finder, findAt } from "../found.ts";

const NETRC = /\bmachine\s+\S{1,200}\s+(?:login\s+\S{1,120}\s+)?password\s+(\S{4,256})/g;
const PGPASS =
  /(?:^|[\n"'>\s])[\w.*-]{1,120}:(?:\d{2,5}|\*):[\w.*-]{1,64}:[\w.*@-]{1,64}:([^\s"'\\]{6,200})(?=\s|\\|["']|$)/g;
const DOCKER_AUTH = /\\{0,3}"auth\\{0,3}"\s{0,4}:\s{0,4}\\{0,3}"([\w+/-]{10,4096}={0,2})\\{0,3}"/g;
const AWS_PAIR = /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b[^A-Za-z0-9+/]{1,12}([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])/g;
const JWK = /\\{0,3}"(?:d|p|q|dp|dq|qi|k)\\{0,3}"\s{0,4}:\s{0,4}\\{0,3}"([\w-]{32,1400})\\{0,3}"/g;
const PHRASE =
  /(?:mnemonic|seed[-_ ]?phrase|recovery[-_ ]?phrase|seed[-_ ]?words|助记词)[^A-Za-z\n]{0,16}(?:\bis\b[^A-Za-z\n]{0,4})?((?:[a-z]{3,8} ){11,23}[a-z]{3,8})/gi;
const K8S_ENTRY = /^[ \t]+["']?[\w.-]{1,100}["']?:[ \t]+["']?([\w+/]{8,}={0,2})["']?[ \t]*$/;
const PPK = /Private-Lines: \d+\n([\w+/=\n]{40,8192})/g;

const hasColonInside = (value: string) => {
  const decoded = Buffer.from(value, "base64").toString("latin1");
  return /^[\x20-\x7e]{1,120}:[\x20-\x7e]{3,}$/.test(decoded);
};

const isCertificate = (value: string) => /^LS0tLS1CRUdJTiBDRVJU/.test(value);

/** The values under `data:` of manifests of kind Secret: encoded, and secret whatever their names are. */
function findKubernetes(text: string) {
  const found: Find[] = [];
  let ofDocument: Find[] = [];
  let [isSecret, offset, indent, isEncoded] = [false, 0, -1, true];
  const endDocument = () => {
    if (isSecret) for (const find of ofDocument) found.push(find);
    [isSecret, indent, ofDocument] = [false, -1, []];
  };
  for (const line of text.split("\n")) {
    const depth = line.search(/\S/);
    const block = /^\s*(data|stringData):\s*$/.exec(line)?.[1];
    if (/^\s{0,8}---/.test(line)) endDocument();
    isSecret ||= /\bkind: ["']?Secret\b/.test(line);
    if (block !== undefined) [indent, isEncoded] = [depth, block === "data"];
    else if (indent >= 0 && depth >= 0 && depth <= indent && !line.trimStart().startsWith("#")) indent = -1;
    else if (indent >= 0) {
      const value = K8S_ENTRY.exec(line)?.[1];
      // Words are no encoding: what is encoded comes in fours.
      const isValue = value !== undefined && (!isEncoded || value.length % 4 === 0);
      if (isValue && !isPlaceholder(value) && !isCertificate(value)) {
        const start = offset + line.lastIndexOf(value);
        ofDocument.push(findAt("kubernetes-secret", start, value));
      }
    }
    offset += line.length + 1;
  }
  endDocument();
  return found;
}

/** The `data` object of a Secret as JSON, in one line or many. */
function findKubernetesJson(text: string) {
  if (!/"kind\\{0,3}":\s{0,4}\\{0,3}"Secret\\{0,3}"/.test(text)) return [];
  const found: Find[] = [];
  for (const block of text.matchAll(/"data\\{0,3}":\s{0,4}\{([^{}]{1,8192})\}/g)) {
    const from = block.index + block[0].length - 1 - (block[1] ?? "").length;
    for (const entry of (block[1] ?? "").matchAll(/:\s{0,4}\\{0,3}"([\w+/]{8,8192}={0,2})\\{0,3}"/g)) {
      const value = entry[1] ?? "";
      if (isPlaceholder(value) || isCertificate(value)) continue;
      const start = from + entry.index + entry[0].lastIndexOf(value);
      found.push(findAt("kubernetes-secret", start, value));
    }
  }
  return found;
}

const isPassword = (value: string) => isSecretValue(value, "password", true);
const isMixed = (value: string) => /[a-z]/.test(value) && /[A-Z]/.test(value);

/** Formats in which a pattern alone finds the secret, in its first group. */
const formats: readonly (readonly [
  name: string,
  landmarks: string,
  kind: string,
  pattern: RegExp,
  isSecret?: (value: string) => boolean,
])[] = [
  ["netrc", "machine ", "password", NETRC, isPassword],
  ["pgpass", ":5432:|:*:|:5433:|:6432:", "password", PGPASS, isPassword],
  ["docker-auth", '"auth"|"auth\\', "docker-auth", DOCKER_AUTH, hasColonInside],
  ["aws-pair", "AKIA|ASIA", "aws-secret-key", AWS_PAIR, isMixed],
  ["jwk", '"kty', "private-key", JWK],
  ["seed-phrase", "mnemonic|phrase|seed words|seed_words|助记词", "seed-phrase", PHRASE],
  ["putty", "Private-Lines", "private-key", PPK],
];

export const fileFinders: readonly Finder[] = [
  ...formats.map(
    ([name, landmarks, kind, pattern, isSecret = () => true]): Finder => ({
      name,
      landmarks,
      scan(text) {
        const found: Find[] = [];
        for (const { index, 0: match, 1: value = "" } of text.matchAll(pattern))
          if (!isPlaceholder(value) && isSecret(value))
            found.push(findAt(kind, index + match.lastIndexOf(value), value, 1));
        return found;
      },
    }),
  ),
  { name: "kubernetes", landmarks: "kind: Secret", scan: findKubernetes },
  {
    name: "kubernetes-json",
    landmarks: '"kind":"Secret|"kind": "Secret|"kind\\": \\"Secret|"kind\\":\\"Secret',
    scan: findKubernetesJson,
  },
];
