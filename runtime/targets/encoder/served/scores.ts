import type { EngineAnswer } from '../engine/serving.ts';
import { readRenderedJson } from '../json/json.ts';
import type { ReadVector } from '../math/sparse.ts';

/** The vectors of a query. Which fields exist depends on the model and on the requested outputs. */
export interface EncodedQuery {
  readonly embedding?: readonly number[];
  readonly sparse?: ReadVector;
  readonly vectors?: readonly (readonly number[])[];
}

export const encodedQuery = ({ results: [result] }: Pick<EngineAnswer, 'results'>): EncodedQuery =>
  result === undefined ? {} : (readRenderedJson(result) as EncodedQuery);

/** The score of a document. */
export const documentScore = (result: Uint8Array): number => Number(Buffer.from(result).toString());
