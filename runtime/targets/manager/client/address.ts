import { lookup } from '#core/values/lookup.ts';
import { UsageError } from '#serve/cli/command.ts';
import { formatAddress } from '#serve/bind.ts';
import { readConfigFile } from '../config/config-file.ts';
import { MANAGER_DEFAULTS } from '../config/defaults.ts';
import { readText } from '#platform/read-text.ts';
import { splitAddress } from '../config/address.ts';

/**
 * Returns the manager's address: the address selected on the command line, the configured address,
 * or the default.
 */
export async function managerAddress(selected: string | undefined, configPath: string): Promise<URL> {
  return addressUrl(selected ?? (await configuredAddress(configPath)));
}

async function configuredAddress(path: string): Promise<string> {
  const file = await readText(path).catch(() => undefined);
  // Errors in the file are ignored, because `validate` reports them, and the address in the file
  // can still be valid.
  return file ? readConfigFile(file).daemon.settings.addr : MANAGER_DEFAULTS.addr;
}

/** Parses `host:port`, `:port` or a URL. Wildcard addresses become loopback. @internal Exported for tests only. */
export function addressUrl(address: string): URL {
  const url = /^https?:\/\//i.test(address) ? URL.parse(address) : hostAndPort(address);
  if (url) return url;
  throw new UsageError(
    `Invalid manager address ${JSON.stringify(address)}. Use host:port, e.g. ${MANAGER_DEFAULTS.addr}, or a URL.`,
  );
}

function hostAndPort(address: string): URL | null {
  if (!/:\d{1,5}$/.test(address)) return null;
  const { hostname, port } = splitAddress(address);
  return URL.parse(`http://${formatAddress(LOOPBACK[hostname] ?? hostname, port)}`);
}

const LOOPBACK = lookup<string>({ '': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '::1' });
