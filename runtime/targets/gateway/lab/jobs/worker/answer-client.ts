import type { AnswerStore, KeptAnswer } from '../../work/work.ts';
import type { WorkerClient } from './client.ts';

/** The answers that a job shares with others of its experiment. Requests for several rows are sent together. */
export interface AnswerClient extends AnswerStore {
  /** Waits until all answers are sent. */
  flushed(): Promise<void>;
}

/** Maximum answers in a request, which is small enough for the largest answers. */
const MAX_TOGETHER = 100;

export function createAnswerClient(client: Pick<WorkerClient, 'findAnswers' | 'keepAnswers'>): AnswerClient {
  const find = together((keys: readonly string[]) => client.findAnswers(keys));
  const keep = together(async (answers: readonly (KeptAnswer & { readonly key: string })[]) => {
    await client.keepAnswers(answers);
    return answers.map(() => undefined);
  });
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

/** Calls a function with all items that were given while its previous call was running. */
function together<Item, Result>(
  call: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  type Waiting = { readonly item: Item } & PromiseWithResolvers<Result>;
  let waiting: Waiting[] = [];
  let isCalling = false;
  const callAll = async (): Promise<void> => {
    isCalling = true;
    while (waiting.length > 0) {
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
      queueMicrotask(() => void callAll());
    }
    return one.promise;
  };
}
