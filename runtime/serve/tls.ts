import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { type AppError, configError, messageOf } from '#contract/errors.ts';

/** A matching certificate and key as PEM text. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** Names of the two files in messages. */
const FLAGS = { cert: '--cert-file', key: '--key-file' };

/** Reads a certificate and its key, and checks that they match. Without both paths, TLS is disabled. */
export function readTls(
  certFile: string | undefined,
  keyFile: string | undefined,
  names = FLAGS,
): TlsFiles | undefined {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined) throw configError(`${names.key} requires ${names.cert}.`);
  if (keyFile === undefined) throw configError(`${names.cert} requires ${names.key}.`);
  const refuseCert = refuse(names.cert, certFile, 'a certificate');
  const refuseKey = refuse(names.key, keyFile, `the private key for ${certFile}, without a passphrase`);
  const cert = attempt(() => readFileSync(certFile), refuseCert);
  attempt(() => createSecureContext({ cert }), refuseCert);
  const key = attempt(() => readFileSync(keyFile), refuseKey);
  attempt(() => createSecureContext({ cert, key }), refuseKey);
  attempt(() => requirePair(cert, key), refuseKey);
  return { cert: cert.toString(), key: key.toString() };
}

/** OpenSSL does not detect a mismatch if the certificate and the key have different types. */
function requirePair(cert: Buffer, key: Buffer): void {
  if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return;
  throw new Error('it belongs to a different certificate');
}

/** Creates the error for a certificate or key file that cannot be used. */
const refuse =
  (flag: string, file: string, content: string) =>
  (error: unknown): AppError =>
    configError(
      `${flag}: cannot use ${file}: ${reasonOf(error)}. It must be a PEM file with ${content}.`,
      error,
    );

/** Removes the error numbers and module names from OpenSSL's messages. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && 'reason' in error && typeof error.reason === 'string'
    ? error.reason
    : messageOf(error);

function attempt<T>(work: () => T, explain: (error: unknown) => AppError): T {
  try {
    return work();
  } catch (error) {
    throw explain(error);
  }
}
