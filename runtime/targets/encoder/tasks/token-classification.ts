import { argmax } from '../../../core/argmax.ts';
import { shortestFloat32 } from '../../../core/float32.ts';
import { softmax } from '../../../core/softmax.ts';
import type { Task } from './task.ts';
import { type TokenInfo, tokenRows } from './token-info.ts';

interface TokenClassificationResult {
  readonly tokens: readonly {
    readonly token_info: TokenInfo;
    readonly logits: Float32Array;
    readonly scores: Float32Array;
    readonly label: string;
    readonly score: number;
  }[];
}

export const tokenClassification: Task<TokenClassificationResult> = {
  printedAs: 'predictions',

  result(inference, { width, id2label }) {
    const tokens = tokenRows(inference, width).map(({ info, values }) => {
      const scores = softmax(values);
      const index = argmax(values);
      return {
        token_info: info,
        logits: values,
        scores,
        label: id2label?.[index] ?? String(index),
        score: shortestFloat32(scores[index] ?? 0),
      };
    });
    return { tokens };
  },

  printed(inference, manifest, options) {
    const { tokens } = tokenClassification.result(inference, manifest, options);
    return {
      tokens: tokens.map(({ token_info }) => token_info.token),
      labels: tokens.map(({ label }) => label),
    };
  },
};
