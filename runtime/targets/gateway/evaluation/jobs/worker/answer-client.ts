import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '#platform/clock.ts';
import type { AnswerStore, KeptAnswer } from '../../work/work.ts';
import type { WorkerClient } from './client.ts';
import { GROUP_MS } from './write-groups.ts';

/** The answers that a job shares with others of its experiment. Requests for several rows are sent together. */
export interface AnswerClient extends AnswerStore {
  /** Waits until all answers are sent. */
  flushed(): Promise<void>;
}

/** Maximum answers in a request, which is small enough for the largest answers. */
const MAX_TOGETHER = 100;

export function createAnswerClient(
  client: Pick<WorkerClient, 'findAnswers' | 'keepAnswers'>,
  clock: Pick<Clock, 'now'>,
): AnswerClient {
  let keptAt = -Infinity;
  const find = together(
    (keys: readonly string[]) => client.findAnswers(keys),
    // Rows that are started together look for their answers in one turn.
    () => turn(),
  );
  const keep = together(
    async (answers: readonly (KeptAnswer & { readonly key: string })[]) => {
      keptAt = clock.now();
      await client.keepAnswers(answers);
      return answers.map(() => undefined);
    },
    // As rows: an answer that comes later than this after others is sent immediately.
    () => sleep(Math.max(0, keptAt + GROUP_MS - clock.now())),
  );
  const sending = new Set<Promise<unknown>>();
  return {
    // Without the gateway, the model is called; the worker notices the loss of its lease elsewhere.
    find: async (key) => (await find(key).catch(() => null)) ?? undefined,
    keep(key, answer) {
      const sent = keep({ ...answer, key })
        .catch(() => undefined)
        .finally(() => sending.delete(sent));
      sending.add(sent);
    },
    async flushed() {
      await Promise.all(sending);
    },
  };
}

/** Calls a function with all items that were given while its previous call was running, or in the time that `wait` takes. */
function together<Item, Result>(
  call: (items: readonly Item[]) => Promise<readonly Result[]>,
  wait: () => Promise<unknown>,
): (item: Item) => Promise<Result> {
  type Waiting = { readonly item: Item } & PromiseWithResolvers<Result>;
  let waiting: Waiting[] = [];
  let isCalling = false;
  const callAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      if (waiting.length < MAX_TOGETHER) await wait();
      const now = waiting.slice(0, MAX_TOGETHER);
      waiting = waiting.slice(MAX_TOGETHER);
      try {
        const results = await call(now.map(({ item }) => item));
        for (const [at, { resolve }] of now.entries()) resolve(results[at] as Result);
      } catch (error) {
        for (const { reject } of now) reject(error);
      }
    }
    isCalling = false;
  };
  return (item) => {
    const one = { item, ...Promise.withResolvers<Result>() };
    waiting.push(one);
    if (!isCalling) {
      isCalling = true;
      void callAll();
    }
    return one.promise;
  };
}
