import { accessSync, constants, statSync } from 'node:fs';
import type { EncoderProgram, ProviderInstance, ProviderLimits } from '../../ask/providers/provider.ts';
import type { EncoderEntry } from '../schemas/providers.ts';
import { isLocalUrl, readBaseUrl } from './base-url.ts';
import { type Path, pathIn, type ResolveContext } from './context.ts';
import { resolveLimits } from './limits.ts';
import { sendableHeaders, sendableKey } from './sendable.ts';

/** An executable to start, or the address of one; undefined if something is wrong with it, which is reported. */
export function resolveEncoder(
  context: ResolveContext,
  path: Path,
  entry: EncoderEntry,
  shared: Partial<ProviderLimits>,
): ProviderInstance | EncoderProgram | undefined {
  const { report } = context;
  const name = (path.at(-1) ?? '').toLowerCase();
  const limits = { ...shared, ...resolveLimits(context, path, entry) };
  // Under `providers` the address has another key.
  const urlKey = path[0] === 'providers' ? 'api_base' : 'url';
  if ((entry.path === undefined) === (entry.url === undefined)) {
    report(path, `an encoder has either a \`path\` or ${urlKey === 'url' ? 'a' : 'an'} \`${urlKey}\``, 'key');
    return undefined;
  }
  if (entry.path !== undefined) {
    const program = pathIn(context, entry.path);
    const trouble = whyNotStarted(program);
    if (trouble !== undefined) report([...path, 'path'], `${program} ${trouble}`);
    return { name, type: 'encoder', path: program, limits };
  }
  const baseUrl = readBaseUrl(context, path, urlKey, entry.url);
  if (baseUrl === undefined) return undefined;
  const apiKey = sendableKey(context, [...path, 'api_key'], entry.api_key);
  const headers = sendableHeaders(context, [...path, 'headers'], entry.headers);
  return { name, type: 'encoder', baseUrl, apiKey, headers, local: isLocalUrl(baseUrl), limits };
}

function whyNotStarted(program: string): string | undefined {
  try {
    if (!statSync(program).isFile()) return 'is no file; name an `.encoder` executable';
    accessSync(program, constants.X_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist; correct the path';
    return 'may not be executed; make it executable (chmod +x)';
  }
}
