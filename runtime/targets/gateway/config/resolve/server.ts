import { readTls, type TlsFiles } from '../../../../serve/tls.ts';
import { UsageError } from '../../../../serve/cli/command.ts';
import type { Given } from '../given.ts';
import type { GatewayFile } from '../schemas/file.ts';
import type { ServerConfig } from '../spec.ts';
import { resolveCallers } from './callers.ts';
import { pathIn, type ResolveContext, timeIn } from './context.ts';

const PORTS = { min: 0, max: 65_535 };
const BYTES = { min: 1, max: 2 ** 30 };
const DEFAULTS = {
  host: '127.0.0.1',
  port: 8000,
  maxBodyBytes: 32 * 1024 * 1024,
  bodyTimeoutMs: 30_000,
  shutdownMs: 30_000,
};

export function resolveServer(context: ResolveContext, file: GatewayFile): ServerConfig {
  const { given } = context;
  const { limits = {} } = file;
  return {
    host: given.text('host') ?? file.host ?? DEFAULTS.host,
    port: given.number('port', PORTS) ?? file.port ?? DEFAULTS.port,
    tls: resolveTls(context, file),
    insecure: given.flag('insecure') ?? file.insecure ?? false,
    ...resolveCallers(context, file),
    maxBodyBytes: given.number('max-body', BYTES) ?? limits.max_body_bytes ?? DEFAULTS.maxBodyBytes,
    bodyTimeoutMs:
      given.milliseconds('body-timeout') ??
      timeIn(context, ['limits', 'body_timeout'], limits.body_timeout) ??
      DEFAULTS.bodyTimeoutMs,
    shutdownMs:
      given.milliseconds('shutdown-timeout') ??
      timeIn(context, ['limits', 'shutdown'], limits.shutdown) ??
      DEFAULTS.shutdownMs,
  };
}

/** Both files come from one place: flags and variables, or the file. */
function resolveTls(context: ResolveContext, { tls = {} }: GatewayFile): TlsFiles | undefined {
  const { given } = context;
  const [cert, key] = [given.text('cert-file'), given.text('key-file')];
  if (cert !== undefined && key !== undefined) {
    return readTls(cert, key, { cert: given.source('cert-file'), key: given.source('key-file') });
  }
  if (cert !== undefined) throw aloneError(given, 'cert-file', 'key-file');
  if (key !== undefined) throw aloneError(given, 'key-file', 'cert-file');
  const path = (text: string | undefined): string | undefined => text && pathIn(context, text);
  return readTls(path(tls.cert_file), path(tls.key_file), { cert: 'tls.cert_file', key: 'tls.key_file' });
}

/** What is missing is named as what is there was given: by its flag, or by its variable. */
function aloneError(given: Given, name: string, missing: string): Error {
  const other = given.onCommandLine(name) ? `--${missing}` : given.source(missing);
  return new UsageError(`${given.source(name)} requires ${other}.`);
}
