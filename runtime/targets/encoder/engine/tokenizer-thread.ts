import { AppError, messageOf } from '../../../contract/errors.ts';
import { spawnWorker } from '../../../platform/spawn-worker.ts';
import type { TextTokenizer } from '../../../platform/tokenizer.ts';
import { connectWorker, type WorkerClient } from '../../../platform/worker-client.ts';
import type { OpenTokenizer, TokenizeReply, TokenizerRequest } from './protocol.ts';

export interface TokenizerThread extends TextTokenizer {
  readonly close: () => Promise<void>;
}

/** The tokenizer in a thread of its own. Should the thread end, another takes its place and what was asked is asked once more. */
export async function startTokenizerThread(model: Omit<OpenTokenizer, 'kind'>): Promise<TokenizerThread> {
  let current = start(model);
  await current;
  const ask = async (request: TokenizerRequest, attempts: number): Promise<unknown> => {
    const asked = current;
    const worker = await asked;
    try {
      return await worker.ask(request);
    } catch (error) {
      if (!worker.alive() && attempts > 1) {
        if (current === asked) current = start(model);
        return await ask(request, attempts - 1);
      }
      throw new AppError('InternalError', `Error during tokenization: ${messageOf(error)}`, { cause: error });
    }
  };
  return {
    encode: async (inputs, options) =>
      (await ask({ kind: 'tokenize', inputs, options }, ATTEMPTS)) as TokenizeReply,
    decode: async (ids, skipSpecialTokens) =>
      (await ask({ kind: 'decode', ids, skipSpecialTokens }, ATTEMPTS)) as string[],
    close: async () => (await current).close(),
  };
}

const ATTEMPTS = 2;

async function start(model: Omit<OpenTokenizer, 'kind'>): Promise<WorkerClient<TokenizerRequest>> {
  const worker = connectWorker<TokenizerRequest>(
    spawnWorker('tokenizer', new URL('./tokenizer-worker.ts', import.meta.url)),
  );
  try {
    await worker.ask({ kind: 'open', ...model });
  } catch (error) {
    await worker.close();
    throw new AppError('InternalError', `Cannot load the tokenizer: ${messageOf(error)}`, { cause: error });
  }
  return worker;
}
