import { AppError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import { readErrorBody } from '#serve/client/json-client.ts';
import type { SearchEncoderSetting } from '../config/search-encoder.ts';
import { type EncoderClient, type EncoderClientParts, openEncoderClient } from './encoder-client.ts';

/** Computes vectors of texts. */
export interface SearchEncoder {
  /** Returns a vector of length 1 for each text. Rejects with an InputError if the encoder does not accept a text. */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>;
  close(): Promise<void>;
}

export type SearchEncoderParts = Omit<EncoderClientParts, 'name' | 'answerMs'>;

const ROUTE = '/v1/embeddings';
/** Queries have their own deadline; this one is for batches, also of large models. */
const ANSWER_MS = 60_000;
const MAX_DIMENSION = 8192;

/** Opens an encoder. An executable is started with the first texts, and restarted when it exits. */
export function openSearchEncoder(setting: SearchEncoderSetting, parts: SearchEncoderParts): SearchEncoder {
  const client = openEncoderClient(setting, { ...parts, name: 'search encoder', answerMs: ANSWER_MS });
  return { embed: (texts, signal) => embed(client, texts, signal), close: () => client.close() };
}

async function embed(
  client: EncoderClient,
  texts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly Float32Array[]> {
  // Servers with several models require a name; executables have one model and ignore it.
  const body = JSON.stringify({ input: texts, model: 'default', encoding_format: 'float' });
  const { status, text } = await client.post(ROUTE, body, signal);
  if (status !== 200) {
    const reason = readErrorBody(text)?.message ?? `HTTP status ${status}`;
    const isRejected = status === 400 || status === 413 || status === 422;
    throw new AppError(isRejected ? 'InputError' : 'UpstreamError', reason);
  }
  return parseVectorsOf(text, texts.length);
}

/** Parses the vectors in a response, in the order of the texts. */
function parseVectorsOf(text: string, count: number): readonly Float32Array[] {
  const { data } = membersOf(parseJsonText(text));
  const rows = Array.isArray(data) ? data.filter(isObject) : [];
  const vectors: Float32Array[] = [];
  for (const [position, { index = position, embedding }] of rows.entries()) {
    if (typeof index === 'number' && index < count && Array.isArray(embedding)) {
      vectors[index] = unitVector(embedding);
    }
  }
  const [first] = vectors;
  const isComplete =
    vectors.length === count && Array.from(vectors).every((one) => one?.length === first?.length);
  if (isComplete) return vectors;
  throw new AppError('UpstreamError', 'the response must contain one vector per text, all of one dimension');
}

function unitVector(values: readonly unknown[]): Float32Array {
  const vector = Float32Array.from(values, Number);
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (vector.length > 0 && vector.length <= MAX_DIMENSION && Number.isFinite(norm)) {
    // A text without known tokens has a vector of zeros, which is similar to nothing.
    return norm === 0 ? vector : vector.map((value) => value / norm);
  }
  throw new AppError('UpstreamError', `a vector must have 1 to ${MAX_DIMENSION} finite numbers`);
}
