import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { configError, messageOf } from '../contract/errors.ts';

/** PEM texts. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** Reads a certificate and its key, and makes sure that they can be used together. Without both names there is no TLS. */
export function readTls(certFile: string | undefined, keyFile: string | undefined): TlsFiles | undefined {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined) throw configError('--key-file is given without --cert-file; TLS needs both.');
  if (keyFile === undefined) throw configError('--cert-file is given without --key-file; TLS needs both.');
  const tls = { cert: readPem(certFile, '--cert-file'), key: readPem(keyFile, '--key-file') };
  try {
    createSecureContext(tls);
  } catch (error) {
    const reason = messageOf(error);
    throw configError(
      `${certFile} and ${keyFile} are no certificate and its key: ${reason}. Both must be PEM files.`,
      error,
    );
  }
  return tls;
}

function readPem(path: string, flag: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw configError(`${flag}: cannot read ${path}: ${messageOf(error)}. Name a PEM file.`, error);
  }
}
