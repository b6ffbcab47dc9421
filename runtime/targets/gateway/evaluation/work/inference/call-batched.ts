import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { isJobPause } from '../job-pause.ts';
import type { BatchCall } from '../backends/backend.ts';
import type { AnsweredRows } from './inference.ts';

/** Maximum number of texts per request, well below the executables' limit. */
const MAX_TEXTS = 1024;
/** Maximum number of characters per request of several texts, well below usual limits of bodies: images are long. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/**
 * Calls a model once for all texts. If it rejects the request, each half is sent separately, recursively,
 * until only the texts that it rejects have no response. Rejects if the job must pause. A request's latency
 * is divided among its texts.
 */
export async function callBatched<Value>(
  texts: readonly string[],
  call: BatchCall<Value>,
  options: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<AnsweredRows<Value>> {
  if (texts.length === 0) return NOTHING;
  if (isTooLong(texts)) return callHalves(texts, call, options);
  const { clock, signal } = options;
  const startedAt = clock.now();
  try {
    const { values, tokens } = await call(texts, signal);
    const latencyMs = (clock.now() - startedAt) / texts.length;
    return { answers: values.map((value) => ({ value, latencyMs })), sharedTokens: tokens };
  } catch (error) {
    signal.throwIfAborted();
    if (isJobPause(error)) throw error;
    const failure = AppError.from(error);
    if (texts.length > 1 && SINGLE_TEXT_ERRORS.has(failure.code)) return callHalves(texts, call, options);
    const latencyMs = (clock.now() - startedAt) / texts.length;
    return { answers: texts.map(() => ({ error: failure.message, latencyMs })), sharedTokens: 0 };
  }
}

function isTooLong(texts: readonly string[]): boolean {
  if (texts.length > MAX_TEXTS) return true;
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  return texts.length > 1 && characters > MAX_CHARACTERS;
}

const NOTHING = { answers: [], sharedTokens: 0 };

/** Error codes that a single text can cause. */
const SINGLE_TEXT_ERRORS: ReadonlySet<string> = new Set(['MalformedError', 'TooLargeError']);

async function callHalves<Value>(
  texts: readonly string[],
  call: BatchCall<Value>,
  options: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<AnsweredRows<Value>> {
  const middle = Math.ceil(texts.length / 2);
  const first = await callBatched(texts.slice(0, middle), call, options);
  const second = await callBatched(texts.slice(middle), call, options);
  return {
    answers: [...first.answers, ...second.answers],
    sharedTokens: first.sharedTokens + second.sharedTokens,
  };
}
