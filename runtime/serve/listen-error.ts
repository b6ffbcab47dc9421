import { type AppError, configError, messageOf } from '#contract/errors.ts';
import { formatAddress } from './hostname.ts';

export interface ListenTarget {
  readonly hostname: string;
  readonly port: number;
  /** The flag that sets the port, for example `--grpc-port`. */
  readonly portFlag: string;
}

/** Explains why a server could not listen and how to fix it. */
export function explainListenError(error: unknown, target: ListenTarget): AppError {
  const explain = REASONS[codeOf(error)];
  const reason = explain?.(target) ?? `${messageOf(error)}.`;
  return configError(`Cannot listen on ${formatAddress(target.hostname, target.port)}: ${reason}`, error);
}

const unknownHost = ({ hostname }: ListenTarget): string =>
  `unknown host name "${hostname}". Set an address of this machine, or 0.0.0.0 for all addresses.`;

const noIpv6 = (): string => 'this machine has no IPv6. Set an IPv4 address, or 0.0.0.0 for all addresses.';

/** Reasons by Node's error code. */
const REASONS: Partial<Record<string, (target: ListenTarget) => string>> = {
  EADDRINUSE: ({ portFlag }) => `the port is in use. Choose another port with ${portFlag}.`,
  EACCES: ({ portFlag }) => `permission denied. Choose a port above 1023 with ${portFlag}.`,
  EPERM: ({ portFlag }) => `permission denied. Choose a port above 1023 with ${portFlag}.`,
  EADDRNOTAVAIL: () =>
    'the address does not belong to this machine. Set one that does, or 0.0.0.0 for all addresses.',
  ENOTFOUND: unknownHost,
  EAI_AGAIN: unknownHost,
  EAI_FAIL: unknownHost,
  EAI_NONAME: unknownHost,
  ERR_INVALID_IP_ADDRESS: unknownHost,
  EAFNOSUPPORT: noIpv6,
  EAI_ADDRFAMILY: noIpv6,
  ERR_SOCKET_BAD_PORT: ({ portFlag }) =>
    `the port must be a number from 0 to 65535. Set it with ${portFlag}.`,
};

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
