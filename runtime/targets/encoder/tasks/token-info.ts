import type { Inference } from '../engine/engine.ts';

export interface TokenInfo {
  readonly token: string;
  readonly token_id: number;
  /** In Unicode code points of the input text. */
  readonly start: number;
  readonly end: number;
}

export interface TokenRow {
  readonly info: TokenInfo;
  readonly values: Float32Array;
}

/** The tokens of a text with their rows of output; those the tokenizer added ([CLS], [SEP], <s> ...) are left out. */
export function tokenRows({ encoding, ids, values }: Inference, width: number): TokenRow[] {
  const special = encoding.getSpecialTokensMask();
  const tokens = encoding.getTokens();
  const offsets = encoding.getOffsets();
  return ids.flatMap((token_id, at) => {
    if (special[at] === 1) return [];
    const [start = 0, end = 0] = offsets[at] ?? [];
    const info = { token: tokens[at] ?? '', token_id, start, end };
    return [{ info, values: values.subarray(at * width, (at + 1) * width) }];
  });
}
