import { MessageChannel, type Worker } from 'node:worker_threads';
import { AggregatorRegistry } from 'prom-client';
import { AppError, messageOf } from '#contract/errors.ts';
import { settlesWithin } from '#platform/wait-for.ts';
import { spawnWorker } from '#platform/worker-requests.ts';
import type { Lifecycle } from '#serve/lifecycle.ts';
import type { Logger } from '#serve/log.ts';
import { PortConnection } from '#serve/threads/port-connection.ts';
import { openThreadLink, type ThreadLink } from '#serve/threads/thread-link.ts';
import { offerLedger } from '../../accounts/ledger/thread-ledger.ts';
import { mergeWaiting } from '../../accounts/ledger/waiting/queue-settings.ts';
import { offerCache } from '../../requests/cache/thread-cache.ts';
import { offerToolMemory } from '../../requests/tools/tool-memory.ts';
import { offerTurns } from '../../providers/adapters/provider-turns.ts';
import type { CurrentModels } from '../../requests/models/model-set.ts';
import { mergeKeyStates } from '../../providers/adapters/keys/merge-key-states.ts';
import type { TargetEvent, TargetState } from '../../requests/routing/target-states.ts';
import type { OtherThreads } from '../../context.ts';
import type { OpenedModelCalls } from '../open-model-calls.ts';
import type { MainFunctions, ServingFunctions, ServingOrder, StartFunctions } from './functions.ts';

/** What serving threads need of the main thread. */
interface MainParts {
  readonly context: Pick<
    OpenedModelCalls,
    'kernel' | 'state' | 'models' | 'answerCache' | 'toolMemory' | 'turns' | 'workerPayer'
  >;
  /** Writes a log line. */
  readonly write: (line: string) => void;
  /** Handles the requests on a connection that serving threads do not handle. */
  readonly accept: (connection: PortConnection) => void;
}

/** The threads of a gateway that serve model requests; none by default. */
export interface ServingThreads extends OtherThreads {
  /** Starts the threads. Resolves when all of them have opened the gateway's state. */
  start(order: ServingOrder, parts: MainParts): Promise<void>;
  /** Listens on this port with all threads. */
  listen(port: number): Promise<void>;
  ready(): void;
  /** Applies the new configuration in all threads. */
  reload(log: Pick<Logger, 'error'>): Promise<void>;
  /** A lifecycle that stops the requests of all threads. */
  stopping(own: Lifecycle): Pick<Lifecycle, 'announceStop' | 'drain' | 'cut'>;
  /** Resolves with the reason if a thread ends unexpectedly. */
  readonly failed: Promise<string>;
  close(graceMs: number, drainMs: number): Promise<void>;
}

interface Thread {
  readonly worker: Worker;
  readonly link: ThreadLink<ServingFunctions>;
  readonly ended: Promise<void>;
}

/** How long a thread that has closed everything has to end. */
const END_MS = 1000;

export function createServingThreads(): ServingThreads {
  const threads: Thread[] = [];
  const failed = Promise.withResolvers<string>();
  let isClosing = false;

  const all = async <Value>(call: (link: ThreadLink<ServingFunctions>) => Promise<Value>): Promise<Value[]> =>
    await Promise.all(threads.map(({ link }) => call(link)));
  /** The same without a result. A thread that has ended has no requests, and uses no outdated data. */
  const running = async (call: (link: ThreadLink<ServingFunctions>) => Promise<void>): Promise<void> => {
    await all((link) => call(link).catch(() => undefined));
  };
  const tellOthers = (event: TargetEvent, from?: Worker): void => {
    for (const { worker, link } of threads) if (worker !== from) link.tell('learn', event);
  };

  const startOne = async (order: ServingOrder, parts: MainParts): Promise<void> => {
    const { port1, port2 } = new MessageChannel();
    const worker = spawnWorker('serving', new URL('./serving-thread.ts', import.meta.url), {
      name: 'serving',
      workerData: { order, port: port2 },
      transferList: [port2],
    });
    const opened = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const { context, write, accept } = parts;
    const { state, models, answerCache, turns, toolMemory } = context;
    const functions = {
      ...offerLedger(state.ledger),
      ...offerCache(answerCache),
      ...offerTurns(turns),
      ...offerToolMemory(toolMemory),
      opened: () => opened.resolve(),
      refused: (error: Pick<AppError, 'code' | 'message'>) =>
        opened.reject(new AppError(error.code, error.message)),
      log: write,
      connect: (ends, port) => accept(new PortConnection(port, ends)),
      learned(event) {
        models.learn(event);
        tellOthers(event, worker);
      },
      encoderAddress: async (name) => await addressOf(models, name),
      workerPayer: context.workerPayer,
    } satisfies StartFunctions & MainFunctions;
    const link = openThreadLink<ServingFunctions>(port1, functions);
    const fail = (reason: string): void => {
      opened.reject(new AppError('InternalError', reason));
      if (!isClosing) failed.resolve(reason);
    };
    worker.on('error', (error) => {
      context.kernel.log.error({ err: error }, 'A serving thread failed.');
      fail(`a serving thread failed: ${messageOf(error)}`);
    });
    worker.on('exit', () => {
      fail('a serving thread ended');
      ended.resolve();
    });
    threads.push({ worker, link, ended: ended.promise });
    await opened.promise;
  };

  return {
    async start(order, parts) {
      await Promise.all(Array.from({ length: order.threads }, () => startOne(order, parts)));
    },
    async listen(port) {
      await all((link) => link.call('listen', port));
    },
    ready() {
      for (const { link } of threads) link.tell('ready');
    },
    noticeRevision: (revision) =>
      threads.length === 0 ? undefined : running((link) => link.call('noticeRevision', revision)),
    learned: (event) => tellOthers(event),
    async live(own) {
      const lists = await all((link) => link.call('live'));
      return [own, ...lists].flat().toSorted((one, other) => one.startedAt - other.startedAt);
    },
    async targets(own) {
      return mergeStates([own, ...(await all((link) => link.call('targets')))]);
    },
    async keys(own) {
      return mergeKeyStates([own, ...(await all((link) => link.call('keys')))]);
    },
    async waiting(own) {
      return mergeWaiting([own, ...(await all((link) => link.call('waiting')))]);
    },
    async metrics(own) {
      if (threads.length === 0) return await own.metrics();
      // Metrics of the process are only in the main thread's list, and must not be omitted.
      const ofMain = (await own.getMetricsAsJSON()).map((metric) => {
        const { aggregator } = metric as { readonly aggregator?: string };
        return aggregator === 'omit' ? { ...metric, aggregator: 'first' } : metric;
      });
      const lists = [ofMain, ...(await all((link) => link.call('metrics')))];
      return await AggregatorRegistry.aggregate([...lists]).metrics();
    },
    async reload(log) {
      // The main thread has already applied the configuration.
      await all((link) =>
        link.call('reload').catch((error: unknown) => {
          log.error(`A serving thread keeps its previous configuration: ${messageOf(error)}`);
        }),
      );
    },
    stopping: (own) => ({
      announceStop() {
        own.announceStop();
        for (const { link } of threads) link.tell('announceStop');
      },
      async drain(patienceMs) {
        await Promise.all([own.drain(patienceMs), running((link) => link.call('drain', patienceMs))]);
      },
      cut(error) {
        own.cut(error);
        const { code, message, reason } = error;
        for (const { link } of threads) link.tell('cut', { code, message, reason });
      },
    }),
    failed: failed.promise,
    async close(graceMs, drainMs) {
      isClosing = true;
      await Promise.all(
        threads.splice(0).map(async ({ worker, link, ended }) => {
          await link.call('close', graceMs, drainMs).catch(() => undefined);
          link.close();
          await settlesWithin(END_MS, ended);
          await worker.terminate();
        }),
      );
    },
  };
}

/** Where the executable of an encoder accepts requests. */
async function addressOf(models: CurrentModels, name: string) {
  const held = models.hold();
  try {
    const provider = held.set.router.classifier(name);
    if (provider?.encoderAddress) return await provider.encoderAddress();
    throw new AppError('UnavailableError', `Encoder \`${name}\` is not running.`, { retryAfterSeconds: 1 });
  } finally {
    held.release();
  }
}

/**
 * The states of targets in all threads. Threads share breakers and pauses, but each counts its own requests and
 * measures its own speeds.
 */
function mergeStates(lists: readonly (readonly TargetState[])[]): TargetState[] {
  const merged = new Map<string, TargetState[]>();
  for (const state of lists.flat()) merged.set(state.target, [...(merged.get(state.target) ?? []), state]);
  return [...merged]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, [first, ...others]]) => {
      if (!first) return [];
      const states = [first, ...others];
      return {
        ...first,
        running: states.reduce((sum, { running }) => sum + running, 0),
        streamMs: mean(states.map(({ streamMs }) => streamMs)),
        tokenMs: mean(states.map(({ tokenMs }) => tokenMs)),
      };
    });
}

function mean(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
}
