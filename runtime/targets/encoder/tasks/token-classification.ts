import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { shortestFloat32 } from '#core/numbers/float32.ts';
import { finiteOutput } from './finite-output.ts';
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

  result(inference, manifest): TokenClassificationResult {
    const { windows } = inference;
    if (windows) {
      return { tokens: windows.flatMap((window) => tokenClassification.result(window, manifest, {}).tokens) };
    }
    const { width, id2label } = manifest;
    const { transformed } = inference;
    const tokens = tokenRows(inference, width).map(({ info, values, row }) => {
      const logits = finiteOutput(values, manifest);
      const { scores, index } = labelScores(logits, { transformed, row });
      return {
        token_info: info,
        logits,
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
