import { randomBytes } from 'node:crypto';
import { AppError, messageOf } from '#contract/errors.ts';
import { planRestart } from '#core/limits/restart-policy.ts';
import type { Clock } from '#platform/clock.ts';
import type { EncoderAddress, ProviderLimits } from '../provider.ts';
import type { TurnsOf } from '../provider-turns.ts';
import { createUpstream, type Waiter, type Upstream } from '../upstream.ts';
import { type EncoderChild, startEncoder, type WatchChild } from './child.ts';

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

interface Running extends EncoderAddress {
  readonly upstream: Upstream;
  readonly child: EncoderChild;
}

/**
 * HTTP client for an executable, which it starts, restarts when the executable exits, and stops on close.
 */
export function superviseEncoder(options: SupervisedOptions): SupervisedUpstream {
  const { name, path, limits, clock, random, onLine, onTrouble = onLine, watch, env, turnsOf } = options;
  const abandonStart = new AbortController();
  let closed = false;
  let failures = 0;
  let pid: number | undefined;
  let cancelStart: (() => void) | undefined;
  let running: Promise<Running>;

  const start = async (): Promise<Running> => {
    const apiKey = randomBytes(24).toString('base64url');
    const startedAt = clock.now();
    try {
      const { signal } = abandonStart;
      const child = await startEncoder({ path, apiKey, clock, signal, onLine, watch, env });
      const { url } = child;
      const upstream = connectEncoder({ name, limits, turnsOf }, { url, apiKey });
      ({ pid } = child);
      void ended(child, upstream, startedAt);
      return { upstream, child, url, apiKey };
    } catch (error) {
      if (!closed) restart(messageOf(error), undefined);
      throw error;
    }
  };

  const ended = async ({ exited }: EncoderChild, upstream: Upstream, startedAt: number): Promise<void> => {
    const how = await exited;
    pid = undefined;
    await upstream.close();
    if (!closed) restart(how, clock.now() - startedAt);
  };

  /** Restarts the executable after a delay. Until then, requests fail immediately. */
  const restart = (why: string, ranFor: number | undefined): void => {
    const plan = planRestart(failures, ranFor === undefined ? undefined : { ranFor }, random);
    ({ failures } = plan);
    const begin = (): void => {
      cancelStart = undefined;
      running = handled(start());
    };
    onTrouble(`${name}: ${why.replace(/\.$/, '')}; restarting in ${Math.ceil(plan.delay)} ms`);
    if (plan.delay === 0) return begin();
    const retryAfterSeconds = Math.ceil(plan.delay / 1000);
    running = handled(
      Promise.reject(
        new AppError('UnavailableError', `Encoder \`${name}\` is not running: ${why.replace(/\.$/, '')}.`, {
          retryAfterSeconds,
        }),
      ),
    );
    cancelStart = clock.after(plan.delay, begin);
  };

  running = handled(start());
  return {
    pid: () => pid,
    async address() {
      const { url, apiKey } = await running;
      return { url, apiKey };
    },
    async request(request) {
      const { upstream } = await untilLeft(running, request.waiter);
      return upstream.request(request);
    },
    async close() {
      closed = true;
      cancelStart?.();
      if (pid === undefined) abandonStart.abort();
      const last = await running.catch(() => undefined);
      await last?.upstream.close();
      await last?.child.stop();
    },
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
