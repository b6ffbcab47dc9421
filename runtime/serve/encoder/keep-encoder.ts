import { randomBytes } from 'node:crypto';
import { AppError, messageOf } from '#contract/errors.ts';
import { planRestart } from '#core/limits/restart-policy.ts';
import type { Clock } from '#platform/clock.ts';
import { type EncoderChild, startEncoder, type WatchChild } from './start-encoder.ts';

/** How to reach a running executable. */
export interface EncoderAddress {
  readonly url: string;
  readonly apiKey: string;
}

export interface KeepEncoderOptions<Client> {
  /** The name in messages. */
  readonly name: string;
  readonly path: string;
  readonly clock: Clock;
  readonly random: () => number;
  /** Creates the client of each process, which is closed when the process exits. */
  readonly connect: (address: EncoderAddress) => Client;
  /** Called with each line of the executable's log. */
  readonly onLine: (line: string) => void;
  /** Called when the executable exits or fails to start. Default: `onLine`. */
  readonly onTrouble?: ((line: string) => void) | undefined;
  readonly watch?: WatchChild | undefined;
  /** Additional environment variables for the executable. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

interface RunningEncoder<Client> extends EncoderAddress {
  readonly client: Client;
}

export interface KeptEncoder<Client> {
  readonly pid: () => number | undefined;
  /** Resolves as soon as the executable accepts requests. Rejects while it is not running. */
  readonly running: () => Promise<RunningEncoder<Client>>;
  readonly close: () => Promise<void>;
}

/** Starts an executable, restarts it when it exits, and stops it on close. */
export function keepEncoder<Client extends { close(): Promise<void> }>({
  name,
  path,
  clock,
  random,
  connect,
  onLine,
  onTrouble = onLine,
  watch,
  env,
}: KeepEncoderOptions<Client>): KeptEncoder<Client> {
  interface Running extends RunningEncoder<Client> {
    readonly child: EncoderChild;
  }
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
      const client = connect({ url, apiKey });
      ({ pid } = child);
      void ended(child, client, startedAt);
      return { client, child, url, apiKey };
    } catch (error) {
      if (!closed) restart(messageOf(error), undefined);
      throw error;
    }
  };

  const ended = async ({ exited }: EncoderChild, client: Client, startedAt: number): Promise<void> => {
    const how = await exited;
    pid = undefined;
    await client.close();
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
    running: () => running,
    async close() {
      closed = true;
      cancelStart?.();
      if (pid === undefined) abandonStart.abort();
      const last = await running.catch(() => undefined);
      await last?.client.close();
      await last?.child.stop();
    },
  };
}

/** Marks a promise's rejection as handled, because it is only reported to requests that wait for the promise. */
function handled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined);
  return promise;
}
