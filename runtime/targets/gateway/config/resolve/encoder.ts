import { accessSync, constants, statSync } from 'node:fs';
import type { EncoderProgram, ProviderInstance, ProviderLimits } from '../../providers/adapters/provider.ts';
import type { EncoderEntry } from '../schemas/providers.ts';
import { isLocalUrl, readBaseUrl } from './base-url.ts';
import { type Path, pathIn, type ResolveContext } from './context.ts';
import { resolveLimits } from './limits.ts';
import { sendableHeaders, sendableKey } from './sendable.ts';
import { errorCode } from '#core/values/error-code.ts';

/** Resolves an encoder with a path or URL; undefined if invalid, which is reported. */
export function resolveEncoder(
  context: ResolveContext,
  path: Path,
  entry: EncoderEntry,
  shared: Partial<ProviderLimits>,
): ProviderInstance | EncoderProgram | undefined {
  const { report } = context;
  const name = (path.at(-1) ?? '').toLowerCase();
  const limits = { ...shared, ...resolveLimits(context, path, entry) };
  // In `providers`, the URL has another name.
  const urlKey = path[0] === 'providers' ? 'api_base' : 'url';
  if ((entry.path === undefined) === (entry.url === undefined)) {
    report(path, `an encoder requires either \`path\` or \`${urlKey}\``, 'key');
    return undefined;
  }
  if (entry.path !== undefined) {
    const program = pathIn(context, entry.path);
    const problem = executableProblem(program);
    if (problem !== undefined) report([...path, 'path'], `${program} ${problem}`);
    return { name, type: 'encoder', path: program, limits };
  }
  const baseUrl = readBaseUrl(context, path, urlKey, entry.url);
  if (baseUrl === undefined) return undefined;
  const apiKey = sendableKey(context, [...path, 'api_key'], entry.api_key);
  const headers = sendableHeaders(context, [...path, 'headers'], entry.headers);
  const local = entry.local ?? isLocalUrl(baseUrl);
  return { name, type: 'encoder', baseUrl, apiKey, headers, local, limits };
}

function executableProblem(program: string): string | undefined {
  try {
    if (!statSync(program).isFile()) return 'is not a file; use an `.encoder` executable';
    accessSync(program, constants.X_OK);
    return undefined;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist; correct the path';
    return 'is not executable; run chmod +x on it';
  }
}
