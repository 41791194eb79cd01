// Texts in the same notations that hold no secret: identifiers, digests, references, and what nearMissTexts.ts lists.
import type { Random } from "../random.ts";
import { plainNearMisses } from "./nearMissTexts.ts";

/** Several texts of one idea; the idea decides in which part of the set they are. */
export type NearMiss = readonly [id: string, make: (random: Random) => readonly string[]];

const madeNearMisses: readonly NearMiss[] = [
  [
    "git-log",
    (r) => [
      `commit ${r.text("hex", 40)}\nAuthor: Mira\n`,
      `${r.text("hex", 7)}..${r.text("hex", 7)} main -> main`,
      `index ${r.text("hex", 10)}..${r.text("hex", 10)} 100644`,
    ],
  ],
  [
    "lock-npm",
    (r) => [
      `"integrity": "sha512-${r.base64(64)}"`,
      `resolved "https://registry.npmjs.org/a/-/a-1.0.0.tgz#${r.text("hex", 40)}"`,
    ],
  ],
  [
    "lock-other",
    (r) => [
      `checksum = "${r.text("hex", 64)}"`,
      `golang.org/x/net v0.1.0 h1:${r.base64(32)}`,
      `    --hash=sha256:${r.text("hex", 64)}`,
      `  sha256 "${r.text("hex", 64)}"`,
    ],
  ],
  [
    "container-digest",
    (r) => [
      `image: nginx@sha256:${r.text("hex", 64)}`,
      `Digest: sha256:${r.text("hex", 64)}`,
      `Deleted: sha256:${r.text("hex", 64)}`,
    ],
  ],
  [
    "session-ids",
    (r) => [
      `SessionID=2026-01-22-test-session-${r.below(9)}`,
      `session: ${r.uuid()}`,
      `sessionKey: agent:main:telegram:${r.below(99)}`,
      `X-Session-Id: ${r.uuid()}`,
    ],
  ],
  [
    "trace-ids",
    (r) => [
      `trace_id=${r.text("hex", 32)} span_id=${r.text("hex", 16)}`,
      `traceparent: 00-${r.text("hex", 32)}-${r.text("hex", 16)}-01`,
      `x-request-id: ${r.uuid()}`,
      `Root=1-${r.text("hex", 8)}-${r.text("hex", 24)}`,
    ],
  ],
  [
    "ids",
    (r) => [
      `"id": "${r.uuid()}", "parentUuid": "${r.uuid()}"`,
      `toolu_01${r.text("alnum", 22)}`,
      `cus_${r.text("alnum", 14)} price_1${r.text("alnum", 23)}`,
      `ObjectId("${r.text("hex", 24)}")`,
      `pod/api-${r.text("hex", 9)}-${r.text("lower", 5)}`,
    ],
  ],
  [
    "page-tokens",
    (r) => [
      `"nextPageToken": "${r.text("url", 40)}a"`,
      `continuation_token=${r.text("alnum", 60)}`,
      `"next_cursor": "${r.base64(24)}"`,
      `syncToken: ${r.text("alnum", 30)}`,
    ],
  ],
  [
    "csrf",
    (r) => [
      `<meta name="csrf-token" content="${r.base64(48)}">`,
      `"csrfToken": "${r.text("alnum", 36)}"`,
      `authenticity_token=${r.text("alnum", 40)}`,
    ],
  ],
  [
    "cache-keys",
    (r) => [
      `cacheKey: "${r.text("hex", 32)}"`,
      `cache_key = node-modules-${r.text("hex", 64)}`,
      `key: npm-\${{ hashFiles('**/package-lock.json') }}`,
      `Cache restored from key: Linux-node-${r.text("hex", 64)}`,
    ],
  ],
  [
    "public-keys",
    (r) => [
      `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${r.text("base64", 43)} mira@laptop`,
      `public_key: ${r.base64(32)}`,
      `PublicKey = ${r.base64(32)}`,
      `"publishableKey": "pk_live_${r.text("alnum", 24)}"`,
      `age1${r.text("lower", 58)}`,
    ],
  ],
  [
    "fingerprints",
    (r) => [
      `SHA256:${r.base64(32).replace("=", "")} mira@laptop (ED25519)`,
      `Key fingerprint = ${r.text("HEX", 40).replace(/(.{4})/g, "$1 ")}`,
      `keyid ${r.text("HEX", 16)}`,
      `signing.keyId=${r.text("HEX", 8)}`,
    ],
  ],
  [
    "certificates",
    (r) => [
      `${"-".repeat(5)}BEGIN CERTIFICATE${"-".repeat(5)}\n${r.text("base64", 64)}\n${"-".repeat(5)}END CERTIFICATE${"-".repeat(5)}`,
      `certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t${r.text("base64", 80)}`,
      `pin-sha256="${r.base64(32)}"`,
    ],
  ],
  [
    "pictures",
    (r) => [
      `<img src="data:image/png;base64,${r.base64(240)}">`,
      `url(data:font/woff2;base64,${r.base64(200)})`,
      `"data": "iVBORw0KGgo${r.text("base64", 200)}"`,
    ],
  ],
  [
    "names-of-things",
    (r) => [
      "secretName: db-credentials",
      "token: my-service-account",
      "kind: Secret\nmetadata:\n  name: regcred-2",
      "key: app.kubernetes.io/name",
      "credentials: aws-prod-readonly",
      "keyName: ci-runner-eu1",
      `secret/api-token-${r.text("lower", 5)} created`,
      "secretRef: tenant-a-db1",
    ],
  ],
  [
    "manifest-config",
    (r) => [
      `apiVersion: v1\nkind: ConfigMap\ndata:\n  schema: ${r.base64(24)}\n`,
      "kind: Deployment\nspec:\n  template:\n    metadata:\n      labels:\n        app: shop2\n",
      "data:\n  replicas: three\n",
      "kind: SealedSecret\nspec:\n  encryptedData:\n    password: <cut>\n",
    ],
  ],
  [
    "minified",
    (r) => [
      `!function(e,t){e.key=t.token,e.auth=n(${r.below(99)})}();`,
      "a.password=b.value,c.key=d[0].x1;",
      "var k={key:1,token:2,auth:3};t.secret=void 0",
      'e.exports={name:"token",key:"k1"}',
    ],
  ],
  [
    "encrypted",
    (r) => [
      `password: ENC[AES256_GCM,data:${r.base64(16)},iv:${r.base64(32)},type:str]`,
      `$ANSIBLE_VAULT;1.1;AES256\n${r.text("digits", 80)}\n${r.text("digits", 80)}`,
      "-----BEGIN PGP MESSAGE-----",
      `password={cipher}${r.text("hex", 64)}`,
    ],
  ],
];

export const nearMisses: readonly NearMiss[] = [
  ...madeNearMisses,
  ...plainNearMisses.map(([id, texts]): NearMiss => [id, () => texts]),
];
