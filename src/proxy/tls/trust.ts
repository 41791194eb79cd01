// The authorities that this machine trusts, for connections upstream: what an agent that speaks directly would accept.
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import type { Environment } from "../../home/index.ts";
import { readIfPossible } from "../../lib/index.ts";

/** Where systems keep their bundle; a company's own authority is in it. */
const systemBundles = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/** The certificates in a PEM file; none where it cannot be read. */
export function certificatesIn(file: string | undefined): string[] {
  const text = file ? (readIfPossible(file) ?? "") : "";
  return text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
}

/** Node takes a list instead of its own authorities, so that its own have to be in it. */
export function upstreamTrust(env: Environment): SecureContext {
  const bundle = systemBundles.map(certificatesIn).find((found) => found.length > 0) ?? [];
  const own = [...certificatesIn(env.NODE_EXTRA_CA_CERTS), ...certificatesIn(env.SSL_CERT_FILE)];
  return createSecureContext({ ca: [...new Set([...rootCertificates, ...bundle, ...own])] });
}
