import type { Context } from 'hono';
import { type HttpAnswer, JSON_TYPE } from '#serve/http/exchange/exchange.ts';

/** Builds a JSON response from pieces that are already JSON, so that long lists of numbers are never parsed again. */
export function jsonAnswer(c: Context, pieces: readonly (string | Uint8Array)[]): Response {
  c.header('Content-Type', 'application/json');
  return c.body(joined(pieces));
}

/** Same, of a request that the app or a direct route has received. */
export const piecesAnswer = (pieces: readonly (string | Uint8Array)[]): HttpAnswer => ({
  status: 200,
  headers: JSON_TYPE,
  body: joined(pieces),
});

const joined = (pieces: readonly (string | Uint8Array)[]): Buffer<ArrayBuffer> =>
  Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));

/** The pieces of a JSON list: each element with the text before and after it. */
export function listPieces(
  elements: readonly Uint8Array[],
  before: (index: number) => string = () => '',
  after = '',
): (string | Uint8Array)[] {
  return elements.flatMap((element, index) => [
    `${index === 0 ? '[' : ','}${before(index)}`,
    element,
    after + (index === elements.length - 1 ? ']' : ''),
  ]);
}
