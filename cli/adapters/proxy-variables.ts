import { configError } from '#contract/errors.ts';

/**
 * Reads the proxy environment variables as curl and Python do, for use with Node's HTTP agents.
 * Node itself ignores ALL_PROXY and proxy addresses without `http://`, and does not apply
 * `example.com` in NO_PROXY to subdomains.
 */
export function proxyVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  const find = (name: string): readonly [name: string, value: string] | undefined => {
    const found = [name.toLowerCase(), name].find((one) => env[one]);
    return found === undefined ? undefined : [found, env[found] ?? ''];
  };
  const all = find('ALL_PROXY');
  const [http, https] = [find('HTTP_PROXY') ?? all, find('HTTPS_PROXY') ?? all];
  const hosts = (find('NO_PROXY')?.[1] ?? '').split(/[\s,]+/).filter((host) => host !== '');
  return {
    ...(http ? { HTTP_PROXY: addressOf(...http) } : {}),
    ...(https ? { HTTPS_PROXY: addressOf(...https) } : {}),
    NO_PROXY: hosts.flatMap((host) => (isName(host) ? [host, `.${host}`] : [host])).join(','),
  };
}

function addressOf(name: string, value: string): string {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return address;
  throw configError(`Invalid proxy in ${name}: it must be an HTTP proxy, e.g. http://proxy:3128.`);
}

/** Whether an entry is a plain host name, not an address, a pattern or a name with a port. */
const isName = (host: string): boolean => /^[a-z0-9][a-z0-9.-]*$/i.test(host) && !/^[\d.]+$/.test(host);
