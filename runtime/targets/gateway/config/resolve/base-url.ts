import { addressKind, isIpAddress } from '../../shared/public-address.ts';
import type { Path, ResolveContext } from './context.ts';

/** An address that stands in the file; undefined if there is none, or one that is reported. */
export function readBaseUrl(
  { report, secrets }: ResolveContext,
  path: Path,
  key: string,
  text: string | undefined,
): string | undefined {
  if (text === undefined) return undefined;
  const refuse = (message: string): undefined => {
    report([...path, key], message);
  };
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return refuse('expected an address that begins with http:// or https://');
  if (url.username !== '' || url.password !== '') {
    secrets.add(url.password, ['password']);
    return refuse('holds credentials; put them into `api_key` or `headers`');
  }
  if (url.search !== '' || url.hash !== '')
    return refuse('expected a host and a path, and nothing after a `?` or `#`');
  if (isIpAddress(url.hostname) && addressKind(url.hostname) === 'never')
    return refuse(`${url.hostname} is an address where nobody serves models; correct it`);
  return text;
}

/** Whoever writes an address of this machine or of a private network means it; a name can come to mean anything. */
export function isLocalUrl(text: string): boolean {
  const { hostname } = new URL(text);
  if (/^(localhost|.+\.localhost)\.?$/i.test(hostname)) return true;
  return isIpAddress(hostname) && addressKind(hostname) === 'private';
}
