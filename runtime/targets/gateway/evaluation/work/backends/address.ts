import { AppError, inputError } from '#contract/errors.ts';
import { PROVIDER_LIMITS, type ProviderAdapter } from '../../../providers/adapters/provider.ts';
import { checkedUrl, createUpstream, type Upstream } from '../../../providers/adapters/upstream.ts';

interface Address {
  /** Name for messages. */
  readonly name: string;
  readonly baseUrl: string;
  /** Whether addresses of this machine and of private networks are allowed. */
  readonly local: boolean;
  readonly apiKey: string | undefined;
  readonly adapter: ProviderAdapter;
  /** Maximum concurrent connections. */
  readonly connections: number;
}

/** Maximum size of a response. The largest ones contain the vectors of all tokens of a few texts. */
const MAX_RESPONSE_BYTES = 256 * 1024 * 1024;

export const WORK_LIMITS = { ...PROVIDER_LIMITS, maxResponseBytes: MAX_RESPONSE_BYTES };

/** HTTP to a model. Throws an InputError for an address that is not allowed. */
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
      `${name} has an invalid URL. It must start with http:// or https://, have only a host and a path, and not point to a reserved address. Put keys into secrets.`,
      error,
    );
  }
  try {
    checkedUrl(name, baseUrl, local);
  } catch (error) {
    throw notPublic(name, error);
  }
}

/** The error for a private address that is not allowed. Host names are resolved, and rejected, when a connection is opened. */
export const notPublic = (name: string, cause: unknown): AppError =>
  new AppError(
    'InputError',
    `${name} does not have a public address. The operator of the gateway can allow private addresses for jobs.`,
    { cause, reason: 'private_address' },
  );
