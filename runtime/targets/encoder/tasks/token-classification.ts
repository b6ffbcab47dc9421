import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { shortestFloat32 } from '../../../core/float32.ts';
import { labelScores } from './label-scores.ts';
import type { Task } from './task.ts';
import { type TokenInfo, tokenRows, writeFloats, writeTokenInfo } from './token-info.ts';

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
  details: true,
  printedAs: 'predictions',

  result(inference, { width, id2label }) {
    const { transformed } = inference;
    const tokens = tokenRows(inference, width).map(({ info, values, row }) => {
      const { scores, index } = labelScores(values, { transformed, row });
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

  proto({ tokens }) {
    const writer = new BinaryWriter();
    for (const { token_info, logits, scores, label, score } of tokens) {
      writer.tag(1, WireType.LengthDelimited).fork();
      writeTokenInfo(writer, 1, token_info);
      writeFloats(writer, 2, logits);
      writeFloats(writer, 3, scores);
      writer.tag(4, WireType.LengthDelimited).string(label);
      writer.tag(5, WireType.Bit32).float(score);
      writer.join();
    }
    return writer.finish();
  },

  printed(inference, manifest) {
    const { tokens } = tokenClassification.result(inference, manifest, {});
    return {
      tokens: tokens.map(({ token_info }) => token_info.token),
      labels: tokens.map(({ label }) => label),
    };
  },
};
