import { randomBytes } from 'node:crypto';
import { AppError, messageOf } from '../../../../../contract/errors.ts';
import { planRestart } from '../../../../../core/limits/restart-policy.ts';
import type { Clock } from '../../../../../platform/clock.ts';
import type { ProviderLimits, Upstream } from '../provider.ts';
import { createUpstream } from '../http/upstream.ts';
import type { Waiter } from '../http/waiter.ts';
import { type EncoderChild, startEncoder, type WatchChild } from './child.ts';

export interface SupervisedOptions {
  readonly name: string;
  readonly path: string;
  readonly limits: ProviderLimits;
  readonly clock: Clock;
  readonly random: () => number;
  /** What it says itself. */
  readonly onLine: (line: string) => void;
  /** That it ended, or does not start; told as its lines are unless said otherwise. */
  readonly onTrouble?: ((line: string) => void) | undefined;
  readonly watch?: WatchChild | undefined;
}

interface Running {
  readonly upstream: Upstream;
  readonly child: EncoderChild;
}

/** HTTP to an executable that is started here, started again when it ends, and stopped with us. */
export function superviseEncoder(
  options: SupervisedOptions,
): Upstream & { readonly pid: () => number | undefined } {
  const { name, path, limits, clock, random, onLine, onTrouble = onLine, watch } = options;
  const unwanted = new AbortController();
  let closed = false;
  let failures = 0;
  let pid: number | undefined;
  let cancelStart: (() => void) | undefined;
  let running: Promise<Running>;

  const start = async (): Promise<Running> => {
    const apiKey = randomBytes(24).toString('base64url');
    const startedAt = clock.now();
    try {
      const child = await startEncoder({ path, apiKey, clock, signal: unwanted.signal, onLine, watch });
      const headers = { authorization: `Bearer ${apiKey}` };
      const upstream = createUpstream({ name, baseUrl: child.url, local: true, headers, limits });
      ({ pid } = child);
      void ended(child, upstream, startedAt);
      return { upstream, child };
    } catch (error) {
      if (!closed) again(messageOf(error), undefined);
      throw error;
    }
  };

  const ended = async ({ exited }: EncoderChild, upstream: Upstream, startedAt: number): Promise<void> => {
    const how = await exited;
    pid = undefined;
    await upstream.close();
    if (!closed) again(how, clock.now() - startedAt);
  };

  /** Whoever asks meanwhile is told at once, unless it starts without delay. */
  const again = (why: string, ranFor: number | undefined): void => {
    const plan = planRestart(failures, ranFor, random);
    ({ failures } = plan);
    const begin = (): void => {
      cancelStart = undefined;
      running = handled(start());
    };
    onTrouble(`${name}: ${why.replace(/\.$/, '')}; to be started again in ${Math.ceil(plan.delay)} ms`);
    if (plan.delay === 0) return begin();
    const retryAfterSeconds = Math.ceil(plan.delay / 1000);
    running = handled(
      Promise.reject(
        new AppError('UnavailableError', `The encoder \`${name}\` is down: ${why.replace(/\.$/, '')}.`, {
          retryAfterSeconds,
        }),
      ),
    );
    cancelStart = clock.after(plan.delay, begin);
  };

  running = handled(start());
  return {
    pid: () => pid,
    async request(request) {
      const { upstream } = await untilLeft(running, request.waiter);
      return upstream.request(request);
    },
    async close() {
      closed = true;
      cancelStart?.();
      if (pid === undefined) unwanted.abort();
      const last = await running.catch(() => undefined);
      await last?.upstream.close();
      await last?.child.stop();
    },
  };
}

/** A start may take longer than somebody has time for. */
async function untilLeft<Value>(promise: Promise<Value>, waiter: Waiter): Promise<Value> {
  const left = Promise.withResolvers<never>();
  waiter.onLeave(() => left.reject(new Error('aborted')));
  return await Promise.race([promise, left.promise]);
}

/** Its rejection is somebody's concern only if somebody asks. */
function handled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined);
  return promise;
}
