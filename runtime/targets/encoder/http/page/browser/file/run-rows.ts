import type { Cells } from './cells.ts';
import { ServerError } from '#serve/http/pages/browser/server.ts';

/** Number of texts per request. */
const BATCH = 32;
/**
 * Number of concurrent requests: enough that the server never has to wait for the next one, but few
 * enough that other callers' requests are processed in between.
 */
const CONCURRENCY = 2;
const RETRIES = 5;

interface RunRowsOptions {
  readonly texts: readonly string[];
  readonly send: (texts: readonly string[]) => Promise<Cells[]>;
  readonly onProgress: (done: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Sends many texts in batches. Rejected texts get an error, and empty texts get an empty result.
 * Returns the results in row order, with undefined for rows that had not been processed when the
 * signal was aborted.
 */
export async function runRows({
  texts,
  send,
  onProgress,
  signal,
}: RunRowsOptions): Promise<(Cells | undefined)[]> {
  const results = texts.map((text) => (text.trim() === '' ? {} : undefined)) as (Cells | undefined)[];
  const open = texts.flatMap((text, at) => (text.trim() === '' ? [] : [at]));
  let next = 0;
  let done = texts.length - open.length;
  const work = async () => {
    while (next < open.length && !signal.aborted) {
      const rows = open.slice(next, next + BATCH);
      next += BATCH;
      const cells = await batch(
        rows.map((at) => texts[at] ?? ''),
        send,
        signal,
      );
      for (const [at, row] of rows.entries()) results[row] = cells[at];
      done += rows.length;
      onProgress(done);
    }
  };
  onProgress(done);
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return results;
}

async function batch(
  texts: readonly string[],
  send: (texts: readonly string[]) => Promise<Cells[]>,
  signal: AbortSignal,
): Promise<(Cells | undefined)[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send(texts);
    } catch (error) {
      if (signal.aborted) return texts.map(() => undefined);
      if (!(error instanceof ServerError)) throw error;
      const isBusy = error.status === 429 || error.status === 503;
      if (isBusy && attempt <= RETRIES) await pause(attempt * 500, signal);
      else if (isRefusal(error.status)) return refused(texts, error, send, signal);
      else throw error;
    }
  }
}

const isRefusal = (status: number) => status === 400 || status === 413 || status === 422;

/** Determines which texts in a batch the server rejects. */
async function refused(
  texts: readonly string[],
  error: ServerError,
  send: (texts: readonly string[]) => Promise<Cells[]>,
  signal: AbortSignal,
): Promise<(Cells | undefined)[]> {
  if (texts.length === 1) return [{ error: error.message }];
  const middle = Math.ceil(texts.length / 2);
  return [
    ...(await batch(texts.slice(0, middle), send, signal)),
    ...(await batch(texts.slice(middle), send, signal)),
  ];
}

const pause = (milliseconds: number, signal: AbortSignal) =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', resolve, { once: true });
  });
