import { type AppError, configError, messageOf } from '../contract/errors.ts';
import { formatAddress } from './hostname.ts';

export interface ListenTarget {
  readonly hostname: string;
  readonly port: number;
  /** The flag that sets the port, as `--grpc-port`. */
  readonly portFlag: string;
}

/** Why a server could not listen, and what to do about it. */
export function explainListenError(error: unknown, target: ListenTarget): AppError {
  const explain = REASONS[codeOf(error)];
  const reason = explain?.(target) ?? `${messageOf(error)}.`;
  return configError(`Cannot listen on ${formatAddress(target.hostname, target.port)}: ${reason}`, error);
}

const unknownHost = ({ hostname }: ListenTarget): string =>
  `the host name "${hostname}" is not known. Give an address of this machine, or 0.0.0.0 for all of them.`;

const noIpv6 = (): string => 'this machine has no IPv6. Give an IPv4 address, or 0.0.0.0 for all of them.';

/** By Node's error codes. */
const REASONS: Partial<Record<string, (target: ListenTarget) => string>> = {
  EADDRINUSE: ({ portFlag }) => `the port is in use. Choose another with ${portFlag}.`,
  EACCES: ({ portFlag }) => `this user may not use that port. Choose one above 1023 with ${portFlag}.`,
  EPERM: ({ portFlag }) => `this user may not use that port. Choose one above 1023 with ${portFlag}.`,
  EADDRNOTAVAIL: () =>
    'this machine does not have that address. Give one that it has, or 0.0.0.0 for all of them.',
  ENOTFOUND: unknownHost,
  EAI_AGAIN: unknownHost,
  EAI_FAIL: unknownHost,
  EAI_NONAME: unknownHost,
  ERR_INVALID_IP_ADDRESS: unknownHost,
  EAFNOSUPPORT: noIpv6,
  EAI_ADDRFAMILY: noIpv6,
  ERR_SOCKET_BAD_PORT: ({ portFlag }) => `a port is a number from 0 to 65535. Set it with ${portFlag}.`,
};

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
