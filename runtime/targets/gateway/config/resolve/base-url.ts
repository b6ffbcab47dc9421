import { addressKind, isIpAddress, isLocalHost } from '#core/net/public-address.ts';
import type { Path, ResolveContext } from './context.ts';

/** Where credentials belong instead, by the setting that contains the URL. */
const CREDENTIALS: ReadonlyMap<string, string> = new Map([
  ['api_base', 'use `api_key` or `headers` instead'],
  ['url', 'use `headers` instead'],
]);

/** Reads a URL from the file; undefined if missing, or if invalid, which is reported. */
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
    return refuse('expected a URL that starts with http:// or https://');
  if (url.username !== '' || url.password !== '') {
    secrets.add(url.password, ['password']);
    return refuse(`contains credentials; ${CREDENTIALS.get(key) ?? 'remove them'}`);
  }
  const hasOtherQuery = [...url.searchParams.keys()].some((name) => name !== 'api-version');
  if (url.hash !== '' || hasOtherQuery || (url.search !== '' && key !== 'api_base'))
    return refuse(
      `expected a URL without a query (\`?\`)${key === 'api_base' ? ', except `?api-version=`,' : ''} and without a fragment (\`#\`)`,
    );
  if (isIpAddress(url.hostname) && addressKind(url.hostname) === 'never')
    return refuse(`${url.hostname} is not a server address; correct it`);
  return text;
}

/** Whether a URL contains a local or private address. */
export const isLocalUrl = (text: string): boolean => isLocalHost(new URL(text).hostname);
