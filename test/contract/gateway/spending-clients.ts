import { randomInt } from 'node:crypto';
import { chatWith } from './chat.ts';
import { asKey } from './config.ts';

/** The cost of the fixture's tokens: 21 input, 9 output. */
export const PRICING = { 'openai:good': { input_price_per_million: 1, output_price_per_million: 2 } };
export const COST = 39_000n;

/** The estimate equals the fixture's token count, so budgets are spent exactly. */
const QUESTION = 'How many tokens does this short question have, and why?';

export interface Spending {
  /** IDs of the requests whose responses arrived completely. */
  readonly answered: Set<string>;
  /** Number of requests in flight. */
  readonly underWay: () => number;
  /** Resolves after this many additional responses. */
  readonly answers: (count: number) => Promise<void>;
  /** The gateway to use from now on; undefined while there is none. */
  readonly ask: (url: string | undefined) => void;
  /** Resolves when all clients have stopped. */
  readonly stop: () => Promise<void>;
  /** Statuses and messages of rejected requests. */
  readonly refusals: Map<string, number>;
}

/** Clients that send requests without a pause, every other one as a stream, cycling through the keys. */
export function spend(clients: number, keys: readonly string[]): Spending {
  const answered = new Set<string>();
  const refusals = new Map<string, number>();
  const stopping = new AbortController();
  let underWay = 0;
  let place = Promise.withResolvers<string>();
  let isThere = false;
  const waiting: { count: number; resolve: () => void }[] = [];

  const note = (requestId: string): void => {
    answered.add(requestId);
    for (const one of waiting) {
      one.count -= 1;
      if (one.count <= 0) one.resolve();
    }
  };
  const once = async (url: string, key: string, stream: boolean): Promise<void> => {
    underWay += 1;
    try {
      const { status, requestId, text } = await askOnce(url, key, stream);
      if (status === 200 && isWhole(text, stream)) note(requestId);
      else if (status !== 200) {
        const { error } = JSON.parse(text) as { error: { code: string } };
        const word = `${status} ${error.code}`;
        refusals.set(word, (refusals.get(word) ?? 0) + 1);
      }
    } catch {
      // Killed during the response.
    } finally {
      underWay -= 1;
    }
  };
  const client = async (number: number): Promise<void> => {
    for (let count = number; !stopping.signal.aborted; count += 1) {
      const url = await place.promise;
      if (url !== '') await once(url, keys[count % keys.length] ?? '', number % 2 === 0);
    }
  };
  const all = Promise.all(Array.from({ length: clients }, (_, number) => client(number)));

  return {
    answered,
    refusals,
    underWay: () => underWay,
    answers: async (count) => await new Promise((resolve) => waiting.push({ count, resolve })),
    ask(url) {
      if (isThere) place = Promise.withResolvers();
      isThere = url !== undefined;
      if (url !== undefined) place.resolve(url);
    },
    stop: async () => {
      stopping.abort();
      place.resolve('');
      await all;
    },
  };
}

export async function askOnce(
  url: string,
  key: string,
  stream = false,
): Promise<{ readonly status: number; readonly requestId: string; readonly text: string }> {
  const messages = [{ role: 'user', content: QUESTION }];
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...asKey(key) },
    body: JSON.stringify({ ...chatWith('openai:good'), messages, stream, max_tokens: 9 }),
  });
  return {
    status: answer.status,
    requestId: answer.headers.get('x-request-id') ?? '',
    text: await answer.text(),
  };
}

const isWhole = (text: string, stream: boolean): boolean =>
  stream ? text.endsWith('data: [DONE]\n\n') && !text.includes('"error"') : text.endsWith('}');

/** After a varying number of further responses. */
export const someAnswers = (): number => randomInt(5, 60);
