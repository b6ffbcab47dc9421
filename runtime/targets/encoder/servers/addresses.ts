import { isLoopbackHost } from '#serve/http/request-head.ts';
import { type Invocation, UsageError } from '#serve/cli/command.ts';
import { requiredNumber } from '#serve/cli/values.ts';
import { DEFAULT_HOSTNAMES } from './options.ts';

export interface Address {
  readonly hostname: string;
  readonly port: number;
  /** The flag that sets the port. */
  readonly portFlag: string;
}

/** The addresses that `serve` listens on; undefined for a protocol that is disabled. */
export interface Addresses {
  readonly http: Address | undefined;
  readonly grpc: Address | undefined;
}

const LOOPBACK = '127.0.0.1';

/**
 * Reads the addresses of `serve`. With --local, both addresses are loopback addresses. If only the
 * HTTP address is set, and it is a loopback address, it is also the default for gRPC, because the
 * user wants a server for this machine only.
 */
export function readAddresses(invocation: Invocation): Addresses {
  const isLocal = invocation.flag('local');
  if (isLocal) for (const flag of ['http-hostname', 'grpc-hostname']) refuseOther(invocation, flag);
  const httpHostname = invocation.value('http-hostname');
  const isClosed = httpHostname !== undefined && isLoopbackHost(httpHostname);
  const defaults = {
    http: isLocal ? LOOPBACK : DEFAULT_HOSTNAMES.http,
    grpc: isClosed ? httpHostname : isLocal ? LOOPBACK : DEFAULT_HOSTNAMES.grpc,
  };
  const read = (name: 'http' | 'grpc'): Address | undefined =>
    invocation.flag(`disable-${name}`)
      ? undefined
      : readAddress(invocation, `${name}-hostname`, `${name}-port`, defaults[name]);
  return { http: read('http'), grpc: read('grpc') };
}

function refuseOther(invocation: Invocation, flag: string): void {
  const hostname = invocation.value(flag);
  if (hostname === undefined || isLoopbackHost(hostname)) return;
  const [local, other] = [invocation.source('local'), invocation.source(flag)];
  throw new UsageError(`${local} conflicts with ${other} ${hostname}. Remove one of them.`);
}

/** Reads an address. `fallback` is the default hostname if the flag itself has no default. */
export function readAddress(
  invocation: Invocation,
  hostnameFlag: string,
  portFlag: string,
  fallback = '',
): Address {
  const hostname = (invocation.value(hostnameFlag) ?? fallback).trim();
  // If the hostname were empty, Node would listen on all addresses.
  if (hostname === '') {
    throw new UsageError(
      `${invocation.source(hostnameFlag)} is empty. Set it to an address of this machine, or to 0.0.0.0 for all addresses.`,
    );
  }
  return {
    hostname,
    port: requiredNumber(invocation, portFlag, { min: 0, max: 65_535 }),
    portFlag: `--${portFlag}`,
  };
}
