import { lookup } from '#core/values/lookup.ts';
import { createServer, type Server } from 'node:net';
import { type AppError, configError, messageOf } from '#contract/errors.ts';

/**
 * Makes a server listen. Resolves with its port, which is chosen by the system if the requested
 * port is 0.
 */
export async function bind(server: Server, target: ListenTarget): Promise<number> {
  const host = bindHost(target.hostname);
  try {
    return await listen(server, { ...target, host }).catch(async (error: unknown) => {
      // On a machine without IPv6, "all addresses" means all IPv4 addresses.
      const withoutIpv6 = host === '::' && /EAFNOSUPPORT|EADDRNOTAVAIL/.test(String(error));
      if (!withoutIpv6) throw error;
      return await listen(server, { ...target, host: '0.0.0.0' });
    });
  } catch (error) {
    throw explainListenError(error, target);
  }
}

type Address = Pick<ListenTarget, 'port' | 'isShared'> & { readonly host: string };

function listen(server: Server, { host, port, isShared = false }: Address): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, reusePort: isShared }, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}

/** Returns the port that a server would listen on, or the error that it would get. */
export async function findPort(target: ListenTarget): Promise<number> {
  const server = createServer();
  const port = await bind(server, target);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Converts a host for Node's `listen`: `[::1]` without its brackets. */
export function bindHost(hostname: string): string {
  return /^\[(.*)\]$/.exec(hostname.trim())?.[1] ?? hostname.trim();
}

/** Formats `host:port` as in URLs: IPv6 addresses in brackets. */
export function formatAddress(hostname: string, port: number): string {
  const host = bindHost(hostname);
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

export interface ListenTarget {
  readonly hostname: string;
  readonly port: number;
  /** The flag that sets the port, for example `--grpc-port`. */
  readonly portFlag: string;
  /**
   * Whether other servers can listen on the same port. The system then distributes the connections among
   * them. Only Linux supports this.
   */
  readonly isShared?: boolean | undefined;
}

/** Explains why a server could not listen and how to fix the problem. @internal */
export function explainListenError(error: unknown, target: ListenTarget): AppError {
  const explain = REASONS[codeOf(error)];
  const reason = explain?.(target) ?? `${messageOf(error)}.`;
  return configError(`Cannot listen on ${formatAddress(target.hostname, target.port)}: ${reason}`, error);
}

const unknownHost = ({ hostname }: ListenTarget): string =>
  `unknown host name "${hostname}". Set an address of this machine, or 0.0.0.0 for all addresses.`;

const noIpv6 = (): string =>
  'this machine does not support IPv6. Set an IPv4 address, or 0.0.0.0 for all addresses.';

/** The reasons by Node's error codes. */
const REASONS = lookup<(target: ListenTarget) => string>({
  EADDRINUSE: ({ portFlag }) => `the port is in use. Choose another port with ${portFlag}.`,
  EACCES: ({ portFlag }) => `permission denied. Choose a port above 1023 with ${portFlag}.`,
  EPERM: ({ portFlag }) => `permission denied. Choose a port above 1023 with ${portFlag}.`,
  EADDRNOTAVAIL: () =>
    'the address does not belong to this machine. Set an address of this machine, or 0.0.0.0 for all addresses.',
  ENOTFOUND: unknownHost,
  EAI_AGAIN: unknownHost,
  EAI_FAIL: unknownHost,
  EAI_NONAME: unknownHost,
  ERR_INVALID_IP_ADDRESS: unknownHost,
  EAFNOSUPPORT: noIpv6,
  EAI_ADDRFAMILY: noIpv6,
  ERR_SOCKET_BAD_PORT: ({ portFlag }) =>
    `the port must be a number from 0 to 65535. Set it with ${portFlag}.`,
});

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
