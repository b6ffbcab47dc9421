import { AppError, inputError } from '#contract/errors.ts';
import { type ByteBudget, UNLIMITED_HOLD } from '#core/limits/byte-budget.ts';
import { TurnQueue } from '#core/limits/turn-queue.ts';
import type { UrlHost } from '#core/net/url-hosts.ts';
import { itemAt } from '#core/values/item-at.ts';
import { createFileFetcher, type FileFetcher } from '#platform/fetch-file.ts';
import { isUrl } from './image-input.ts';
import { ITSELF } from './input-limits.ts';
import type { EngineInput, EngineRequest } from './serving.ts';

/** Maximum number of URLs in a request: a request of a few kilobytes can cause this many downloads. */
const MAX_URLS = 32;
/** Downloads of all requests at the same time, and of one request. */
const MAX_DOWNLOADS = 16;
const MAX_DOWNLOADS_OF_REQUEST = 4;
/** Downloads that wait for others. */
const MAX_WAITING = 256;
const TIMEOUT_MS = 10_000;

export interface ImageUrlOptions {
  readonly hosts: readonly UrlHost[];
  readonly maxBytes: number;
  /** Counts the bytes of the images until their request ends. Default: no limit. */
  readonly memory?: ByteBudget | undefined;
  readonly timeoutMs?: number | undefined;
  /** Whether the model also reads texts. Then a URL in place of a text is a text. Default: it does not. */
  readonly readsTexts?: boolean | undefined;
}

type InputsOfRequest = Pick<EngineRequest, 'inputs' | 'indexOf' | 'signal'>;

export interface ImageUrls {
  /**
   * Replaces each URL with its image, and releases the memory of the images after `use`. Other inputs are
   * not changed.
   */
  withImages<T>(request: InputsOfRequest, use: (inputs: readonly EngineInput[]) => Promise<T>): Promise<T>;
  /** Fetches one image. */
  fetch: (url: string) => Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Fetches images from allowed hosts, before their requests are queued. */
export function createImageUrls({
  timeoutMs = TIMEOUT_MS,
  memory,
  readsTexts = false,
  ...options
}: ImageUrlOptions): ImageUrls {
  const fetcher = createFileFetcher({ ...options, timeoutMs });
  const turns = new TurnQueue(MAX_DOWNLOADS, MAX_WAITING);
  const neverAborted = new AbortController().signal;
  return {
    async withImages({ inputs, indexOf = ITSELF, signal = neverAborted }, use) {
      const urls = inputs.flatMap((input, at) => {
        const url = urlOf(input, readsTexts);
        return url === undefined ? [] : [{ url, at }];
      });
      if (urls.length === 0) return await use(inputs);
      if (urls.length > MAX_URLS) {
        throw inputError(
          `The request has ${urls.length} URLs of images, but the maximum is ${MAX_URLS}. Split it into several requests, or send the images in base64.`,
        );
      }
      const hold = memory?.open() ?? UNLIMITED_HOLD;
      try {
        const complete: EngineInput[] = [...inputs];
        await downloadAll(urls, signal, async ({ url, at }, stop) => {
          const place = `Input ${indexOf(at)}`;
          const image = await inTurn(turns, stop, () => fetchAt(fetcher, url, place, stop, hold.take));
          complete[at] = { image };
        });
        return await use(complete);
      } catch (error) {
        throw signal.aborted
          ? new AppError('CancelledError', 'Client disconnected.', { cause: error })
          : error;
      } finally {
        hold.release();
      }
    },
    fetch: async (url) => await fetcher.fetch(url, neverAborted, UNLIMITED_HOLD.take),
    close: () => fetcher.close(),
  };
}

/** The URL of an input that is an image to fetch. */
function urlOf(input: EngineInput, readsTexts: boolean): string | undefined {
  if ('imageUrl' in input) return input.imageUrl;
  if (readsTexts || !('text' in input) || input.pair !== undefined) return undefined;
  return isUrl(input.text) ? input.text : undefined;
}

/** Downloads images, a few at a time. The first failure stops the others. */
async function downloadAll<Item>(
  items: readonly Item[],
  signal: AbortSignal,
  download: (item: Item, stop: AbortSignal) => Promise<void>,
): Promise<void> {
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length && !stop.aborted) await download(itemAt(items, next++), stop);
  };
  const workers = Array.from({ length: Math.min(items.length, MAX_DOWNLOADS_OF_REQUEST) }, async () => {
    try {
      await worker();
    } catch (error) {
      failed.abort(error);
    }
  });
  await Promise.all(workers);
  stop.throwIfAborted();
}

/** Waits for one of the places for downloads. */
async function inTurn<T>(turns: TurnQueue, stop: AbortSignal, run: () => Promise<T>): Promise<T> {
  const turn = turns.ask();
  if (turn.kind === 'refused') {
    throw new AppError(
      'OverloadedError',
      'The server is downloading too many images. Retry in a second, or send the images in base64.',
    );
  }
  try {
    if (turn.kind === 'waiting') await untilGranted(turn.granted, stop);
    return await run();
  } finally {
    turn.leave();
  }
}

/** Resolves when the turn has come; rejects when the request is stopped. */
async function untilGranted(granted: Promise<void>, stop: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onStop = (): void => reject(stop.reason as Error);
  stop.addEventListener('abort', onStop, { once: true });
  try {
    stop.throwIfAborted();
    await Promise.race([granted, promise]);
  } finally {
    stop.removeEventListener('abort', onStop);
  }
}

async function fetchAt(
  fetcher: FileFetcher,
  url: string,
  place: string,
  stop: AbortSignal,
  take: (bytes: number) => void,
): Promise<Uint8Array> {
  try {
    return await fetcher.fetch(url, stop, take);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'OverloadedError') throw error;
    throw new AppError(error.code, `${place} cannot be fetched: ${error.message}`, { cause: error });
  }
}
