import { AppError } from '../../../../../contract/errors.ts';
import type { Clock } from '../../../../../platform/clock.ts';
import type { AskMany } from '../backends/backend.ts';
import type { AskedRows } from './inference.ts';

/** So many texts executables take in one request, with room to spare. */
const MOST_TEXTS = 1024;

/**
 * One request for all texts. If the model refuses that, it is asked about each half alone, and so on, until only the texts that
 * it cannot take are left without an answer. The time of a request is shared by its texts.
 */
export async function askTogether<Value>(
  texts: readonly string[],
  ask: AskMany<Value>,
  options: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<AskedRows<Value>> {
  if (texts.length === 0) return NOTHING;
  if (texts.length > MOST_TEXTS) return askHalves(texts, ask, options);
  const { clock, signal } = options;
  const startedAt = clock.now();
  try {
    const { values, tokens } = await ask(texts, signal);
    const latencyMs = (clock.now() - startedAt) / texts.length;
    return { answers: values.map((value) => ({ value, latencyMs })), sharedTokens: tokens };
  } catch (error) {
    signal.throwIfAborted();
    const failure = AppError.from(error);
    if (texts.length > 1 && MAY_BE_ONE.has(failure.code)) return askHalves(texts, ask, options);
    const latencyMs = (clock.now() - startedAt) / texts.length;
    return { answers: texts.map(() => ({ error: failure.message, latencyMs })), sharedTokens: 0 };
  }
}

const NOTHING = { answers: [], sharedTokens: 0 };

/** What a model says where it is about one of the texts. */
const MAY_BE_ONE: ReadonlySet<string> = new Set(['MalformedError', 'TooLargeError']);

async function askHalves<Value>(
  texts: readonly string[],
  ask: AskMany<Value>,
  options: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<AskedRows<Value>> {
  const middle = Math.ceil(texts.length / 2);
  const first = await askTogether(texts.slice(0, middle), ask, options);
  const second = await askTogether(texts.slice(middle), ask, options);
  return {
    answers: [...first.answers, ...second.answers],
    sharedTokens: first.sharedTokens + second.sharedTokens,
  };
}
