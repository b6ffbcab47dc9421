import type { Clock } from '#platform/clock.ts';
import { type EncoderAddress, keepEncoder } from '#serve/encoder/keep-encoder.ts';
import type { WatchChild } from '#serve/encoder/start-encoder.ts';
import type { ProviderLimits } from '../provider.ts';
import type { TurnsOf } from '../provider-turns.ts';
import { createUpstream, type Waiter, type Upstream } from '../upstream.ts';

export interface SupervisedOptions {
  readonly name: string;
  readonly path: string;
  readonly limits: ProviderLimits;
  readonly clock: Clock;
  readonly random: () => number;
  /** Called with each line of the executable's log. */
  readonly onLine: (line: string) => void;
  /** Called when the executable exits or fails to start. Default: `onLine`. */
  readonly onTrouble?: ((line: string) => void) | undefined;
  readonly watch?: WatchChild | undefined;
  /** Additional environment variables for the executable. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Limits concurrent requests. */
  readonly turnsOf?: TurnsOf | undefined;
}

export interface SupervisedUpstream extends Upstream {
  readonly pid: () => number | undefined;
  /** Resolves as soon as the executable is running. Rejects while it is not. */
  readonly address: () => Promise<EncoderAddress>;
}

/**
 * HTTP client for an executable, which it starts, restarts when the executable exits, and stops on close.
 */
export function superviseEncoder({ limits, turnsOf, ...options }: SupervisedOptions): SupervisedUpstream {
  const { name } = options;
  const kept = keepEncoder({
    ...options,
    connect: (address) => connectEncoder({ name, limits, turnsOf }, address),
  });
  return {
    pid: kept.pid,
    async address() {
      const { url, apiKey } = await kept.running();
      return { url, apiKey };
    },
    async request(request) {
      const { client } = await untilLeft(kept.running(), request.waiter);
      return client.request(request);
    },
    close: kept.close,
  };
}

type ClientOptions = Pick<SupervisedOptions, 'name' | 'limits' | 'turnsOf'>;

/** HTTP client for a running executable. */
function connectEncoder({ name, limits, turnsOf }: ClientOptions, { url, apiKey }: EncoderAddress): Upstream {
  const headers = { authorization: `Bearer ${apiKey}` };
  return createUpstream({ name, baseUrl: url, local: true, headers, limits, turnsOf });
}

/** HTTP client for an executable that another thread supervises. */
export function followEncoder({
  address,
  ...options
}: ClientOptions & { readonly address: () => Promise<EncoderAddress> }): Upstream {
  let connected: (EncoderAddress & { readonly upstream: Upstream }) | undefined;
  const upstreamAt = async (): Promise<Upstream> => {
    const found = await address();
    if (connected?.url !== found.url || connected.apiKey !== found.apiKey) {
      void connected?.upstream.close();
      connected = { ...found, upstream: connectEncoder(options, found) };
    }
    return connected.upstream;
  };
  return {
    async request(request) {
      const upstream = await untilLeft(handled(upstreamAt()), request.waiter);
      return upstream.request(request);
    },
    close: async () => await connected?.upstream.close(),
  };
}

/**
 * Waits until the executable has started, which can take longer than a request's timeout. Rejects when the
 * request is canceled.
 */
async function untilLeft<Value>(promise: Promise<Value>, waiter: Waiter): Promise<Value> {
  const left = Promise.withResolvers<never>();
  waiter.onCancel(() => left.reject(new Error('aborted')));
  return await Promise.race([promise, left.promise]);
}

/**
 * Marks a promise's rejection as handled, because it is only reported to requests that wait for the
 * promise.
 */
function handled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined);
  return promise;
}
