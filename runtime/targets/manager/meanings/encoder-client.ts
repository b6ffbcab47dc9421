import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { createJsonClient, type JsonClient } from '#serve/client/json-client.ts';
import { keepEncoder, type KeptEncoder } from '#serve/encoder/keep-encoder.ts';
import type { WatchChild } from '#serve/encoder/start-encoder.ts';
import type { SearchEncoderSetting } from '../config/search-encoder.ts';

/** Sends requests to an encoder: an executable that is started with the first request, or a running one. */
export interface EncoderClient {
  post(
    path: string,
    body: string,
    signal?: AbortSignal,
  ): Promise<{ readonly status: number; readonly text: string }>;
  close(): Promise<void>;
}

export interface EncoderClientParts {
  /** What the encoder is, in errors. */
  readonly name: string;
  /** Timeout of a request. */
  readonly answerMs: number;
  readonly clock: Clock;
  /** API key of a running encoder. */
  readonly apiKey?: string | undefined;
  readonly watch?: WatchChild | undefined;
  /** Called when the executable exits or fails to start. */
  readonly onTrouble: (line: string) => void;
}

const CONNECT_MS = 5000;
/** Enough for a batch of vectors with the largest dimension. */
const MAX_RESPONSE_BYTES = 16 * 1_048_576;

export function openEncoderClient(setting: SearchEncoderSetting, parts: EncoderClientParts): EncoderClient {
  const connect = (url: string, apiKey: string | undefined): JsonClient =>
    createJsonClient(url, {
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      connectMs: CONNECT_MS,
      answerMs: parts.answerMs,
      maxResponseBytes: MAX_RESPONSE_BYTES,
    });
  if (setting.kind === 'url') {
    const client = connect(setting.url.replace(/\/(v1(\/embeddings)?\/?)?$/, ''), parts.apiKey);
    return {
      post: (path, body, signal) => client.ask({ method: 'POST', path, body, signal }),
      close: () => client.close(),
    };
  }
  const { path: file } = setting;
  let kept: KeptEncoder<JsonClient> | undefined;
  let isClosed = false;
  const start = (): KeptEncoder<JsonClient> =>
    keepEncoder({
      name: file,
      path: file,
      clock: parts.clock,
      random: Math.random,
      connect: ({ url, apiKey }) => connect(url, apiKey),
      // Its log has a line for each request, and errors are in the responses.
      onLine: () => undefined,
      onTrouble: parts.onTrouble,
      watch: parts.watch,
    });
  return {
    async post(path, body, signal) {
      if (isClosed) throw new AppError('UnavailableError', `The ${parts.name} is closed.`);
      const { client } = await (kept ??= start()).running();
      return await client.ask({ method: 'POST', path, body, signal });
    },
    async close() {
      isClosed = true;
      await kept?.close();
    },
  };
}
