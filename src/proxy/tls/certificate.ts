// A certificate authority that lives in memory and can vouch for one host. Its keys are never written anywhere.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { DAY } from "../../lib/index.ts";
import {
  bits,
  bool,
  explicit,
  implicit,
  octets,
  oid,
  sequence,
  set,
  unsigned,
  utcTime,
  utf8,
} from "./der.ts";

interface HostCertificate {
  /** The authority's certificate: what the child is asked to trust. Public. */
  readonly authority: string;
  /** The host's certificate and its key, for the TLS server of this process. */
  readonly certificate: string;
  readonly key: string;
}

/** Clocks of other programs may be behind. */
const EARLIER = DAY;
/** Longer than any process that trusts it runs; some clients refuse more than 398 days. */
const VALID = 365 * DAY;

const ecdsaWithSha256 = sequence(oid("1.2.840.10045.4.3.2"));
const named = (name: string) => sequence(set(sequence(oid("2.5.4.3"), utf8(name))));

const extension = (id: string, isCritical: boolean, value: Buffer) =>
  sequence(oid(id), ...(isCritical ? [bool(true)] : []), octets(value));

const DNS_NAME = 2;
const publicKeyOf = (key: KeyObject) => key.export({ type: "spki", format: "der" });
const keyId = (key: KeyObject) => createHash("sha1").update(publicKeyOf(key)).digest();

const extensionIds = {
  subjectKey: "2.5.29.14",
  keyUsage: "2.5.29.15",
  alternativeName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  nameConstraints: "2.5.29.30",
  authorityKey: "2.5.29.35",
  extendedUsage: "2.5.29.37",
};

/** May sign certificates, of no further authority, and for no other host: a client checks that itself. */
function authorityExtensions(host: string, own: KeyObject) {
  const onlyHost = explicit(0, sequence(implicit(DNS_NAME, Buffer.from(host, "latin1"))));
  return [
    extension(extensionIds.basicConstraints, true, sequence(bool(true), unsigned(Buffer.from([0])))),
    extension(extensionIds.keyUsage, true, bits(Buffer.from([0x06]), 1)),
    extension(extensionIds.nameConstraints, true, sequence(onlyHost)),
    extension(extensionIds.subjectKey, false, octets(keyId(own))),
  ];
}

function hostExtensions(host: string, own: KeyObject, authority: KeyObject) {
  const serverAuth = oid("1.3.6.1.5.5.7.3.1");
  return [
    extension(extensionIds.basicConstraints, true, sequence()),
    extension(extensionIds.keyUsage, true, bits(Buffer.from([0x80]), 7)),
    extension(extensionIds.extendedUsage, false, sequence(serverAuth)),
    extension(extensionIds.alternativeName, false, sequence(implicit(DNS_NAME, Buffer.from(host, "latin1")))),
    extension(extensionIds.subjectKey, false, octets(keyId(own))),
    extension(extensionIds.authorityKey, false, sequence(implicit(0, keyId(authority)))),
  ];
}

interface Contents {
  readonly issuer: string;
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
  readonly now: number;
}

function signed({ issuer, subject, publicKey, extensions, now }: Contents, signer: KeyObject) {
  const serial = randomBytes(16);
  const body = sequence(
    explicit(0, unsigned(Buffer.from([2]))),
    unsigned(serial),
    ecdsaWithSha256,
    named(issuer),
    sequence(utcTime(now - EARLIER), utcTime(now + VALID)),
    named(subject),
    publicKeyOf(publicKey),
    explicit(3, sequence(...extensions)),
  );
  const whole = sequence(body, ecdsaWithSha256, bits(sign("sha256", body, signer)));
  const lines = whole.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

/** A new authority, and a certificate of the host that it signed. */
export function certifyHost(host: string, now: number): HostCertificate {
  const authority = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const server = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const issuer = `Throughline for one process, ${randomBytes(4).toString("hex")}`;
  return {
    authority: signed(
      {
        issuer,
        subject: issuer,
        publicKey: authority.publicKey,
        extensions: authorityExtensions(host, authority.publicKey),
        now,
      },
      authority.privateKey,
    ),
    certificate: signed(
      {
        issuer,
        subject: host,
        publicKey: server.publicKey,
        extensions: hostExtensions(host, server.publicKey, authority.publicKey),
        now,
      },
      authority.privateKey,
    ),
    key: server.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}
