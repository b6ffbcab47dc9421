import { parseJsonText } from '../../../core/json/json-text.ts';
import type { ServingEngine } from '../engine/serving.ts';

/** Adds `tokens` to results of sparse embedding: the token of each index. */
export function addTokens(
  { tokenOf }: Pick<ServingEngine, 'tokenOf'>,
  results: readonly Uint8Array[],
): Uint8Array[] {
  return results.map((result) => {
    const { indices } = parseJsonText(Buffer.from(result).toString()) as { indices: number[] };
    const tokens = JSON.stringify(indices.map(tokenOf));
    // The result is a JSON object: its closing brace is replaced to append one member.
    return Buffer.concat([result.subarray(0, -1), Buffer.from(`,"tokens":${tokens}}`)]);
  });
}
