import { AppError, inputError } from '../../../../../contract/errors.ts';
import { PROVIDER_LIMITS, type ProviderAdapter, type Upstream } from '../../../ask/providers/provider.ts';
import { checkedUrl } from '../../../ask/providers/http/guarded-lookup.ts';
import { createUpstream } from '../../../ask/providers/http/upstream.ts';

interface Address {
  /** As sentences call it. */
  readonly name: string;
  readonly baseUrl: string;
  /** Whether it may be on this machine or in a private network. */
  readonly local: boolean;
  readonly apiKey: string | undefined;
  readonly adapter: ProviderAdapter;
  /** At once. */
  readonly connections: number;
}

/** Vectors of all tokens of a few texts are the most that is asked for. */
const MOST_ANSWER_BYTES = 256 * 1024 * 1024;

export const WORK_LIMITS = { ...PROVIDER_LIMITS, maxResponseBytes: MOST_ANSWER_BYTES };

/** HTTP to where a model is. Throws an InputError for an address that may not be asked. */
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
      `${name} cannot be asked. Its URL has to begin with http:// or https://, to hold no more than a host and a path, and to lead where a model can be. A key goes into a secret.`,
      error,
    );
  }
  try {
    checkedUrl(name, baseUrl, local);
  } catch (error) {
    throw notPublic(name, error);
  }
}

/** Names are looked up when they are connected to, and refused then. */
export const notPublic = (name: string, cause: unknown): AppError =>
  new AppError(
    'InputError',
    `${name} is not at an address of the internet. Whoever runs the gateway can allow private addresses for work.`,
    { cause, reason: 'private_address' },
  );
