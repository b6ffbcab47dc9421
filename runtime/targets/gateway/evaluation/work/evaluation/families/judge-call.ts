import { AppError } from '#contract/errors.ts';
import type { BackendMessage } from '../../backends/backend.ts';
import { isJobPause } from '../../job-pause.ts';
import type { BatchContext, CountRow, Judge } from '../evaluation.ts';

/**
 * Maximum number of calls per verdict. A model whose verdict is unreadable often responds correctly the next
 * time.
 */
const MAX_ATTEMPTS = 3;

/** Calls a judge until its verdict can be read. Throws the last error of `read`. */
export async function judgeVerdict<Verdict>(
  { model, generation }: Judge,
  messages: readonly BackendMessage[],
  read: (text: string) => Verdict,
  { signal, spend }: BatchContext,
): Promise<Verdict> {
  // A judge that is called again because its verdict was unreadable must not get the same verdict from the cache.
  const isReadable = ({ text }: { readonly text: string }): boolean => {
    try {
      read(text);
      return true;
    } catch {
      return false;
    }
  };
  for (let attempt = 1; ; attempt++) {
    const reply = await model.chat?.(messages, generation, signal, isReadable);
    if (reply) spend(reply);
    try {
      return read(reply?.text ?? '');
    } catch (error) {
      if (attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Prepares a row. If that fails, counting the row throws the error, so that other rows are not affected. */
export async function preparedRow(
  prepare: () => Promise<CountRow>,
  { signal }: Pick<BatchContext, 'signal'>,
): Promise<CountRow> {
  try {
    return await prepare();
  } catch (error) {
    signal.throwIfAborted();
    if (isJobPause(error)) throw error;
    return () => {
      throw AppError.from(error);
    };
  }
}
