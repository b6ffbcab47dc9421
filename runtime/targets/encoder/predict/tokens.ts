import { parseJsonText } from '#core/json/json-text.ts';
import type { ServingEngine } from '../engine/serving.ts';

/** Adds `tokens` to sparse vectors: the token of each index. Results of other outputs are unchanged. */
export function addTokens(
  { tokenOf }: Pick<ServingEngine, 'tokenOf'>,
  results: readonly Uint8Array[],
): Uint8Array[] {
  return results.map((result) => {
    const found = sparseIn(result);
    if (found === undefined) return result;
    const [vector, end] = found;
    const { indices } = parseJsonText(vector) as { indices: number[] };
    const tokens = JSON.stringify(indices.map(tokenOf));
    // The vector is a JSON object: its closing brace is replaced to append one member.
    return Buffer.concat([result.subarray(0, -end.length), Buffer.from(`,"tokens":${tokens}${end}`)]);
  });
}

/** The text of the sparse vector, which is the result or its last member, and the end of the result. */
function sparseIn(result: Uint8Array): [vector: string, end: string] | undefined {
  const bytes = Buffer.from(result.buffer, result.byteOffset, result.byteLength);
  if (bytes.subarray(0, INDICES.length).equals(INDICES)) return [bytes.toString(), '}'];
  const at = bytes.lastIndexOf(MEMBER);
  return at < 0 ? undefined : [bytes.toString('utf8', at + MEMBER.length, bytes.length - 1), '}}'];
}

const INDICES = Buffer.from('{"indices"');
const MEMBER = Buffer.from('"sparse":');
