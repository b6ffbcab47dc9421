import { AppError, inputError } from '#contract/errors.ts';
import { PROVIDER_LIMITS, type ProviderAdapter } from '../../../providers/adapters/provider.ts';
import { checkedUrl, createUpstream, type Upstream } from '../../../providers/adapters/upstream.ts';

interface Address {
  /** Name for messages. */
  readonly name: string;
  readonly baseUrl: string;
  /** Whether loopback and private addresses are allowed. */
  readonly local: boolean;
  readonly apiKey: string | undefined;
  readonly adapter: ProviderAdapter;
  /** Maximum number of concurrent connections. */
  readonly connections: number;
}

/** Maximum response size. The largest responses contain all token vectors of a few texts. */
const MAX_RESPONSE_BYTES = 256 * 1024 * 1024;

export const WORK_LIMITS = { ...PROVIDER_LIMITS, maxResponseBytes: MAX_RESPONSE_BYTES };

/** HTTP client for a model. Throws an InputError if the address is not allowed. */
export function upstreamAt(address: Address): Upstream {
  checkAddress(address);
  const { name, baseUrl, local, apiKey, adapter, connections } = address;
  const limits = { ...WORK_LIMITS, maxConnections: Math.max(1, connections) };
  return createUpstream({ name, baseUrl, local, headers: adapter.headers(apiKey), limits });
}

function checkAddress({ name, baseUrl, local }: Address): void {
  try {
    checkedUrl(name, baseUrl, true);
  } catch (error) {
    throw inputError(
      `${name} has an invalid URL. It must start with http:// or https://, have only a host and a path, and not point to a reserved address. Store keys as secrets.`,
      error,
    );
  }
  try {
    checkedUrl(name, baseUrl, local);
  } catch (error) {
    throw notPublic(name, error);
  }
}

/**
 * The error for a disallowed private address. Host names are resolved, and possibly rejected, when a
 * connection is opened.
 */
export const notPublic = (name: string, cause: unknown): AppError =>
  new AppError(
    'InputError',
    `${name} does not have a public address. The gateway operator can allow private addresses for jobs.`,
    { cause, reason: 'private_address' },
  );
