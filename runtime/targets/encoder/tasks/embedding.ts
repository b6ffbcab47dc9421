import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import {
  normalizeL2,
  finiteOutput,
  textVector,
  vectorsOf,
  type TokenInfo,
  tokenRows,
} from '../math/inference.ts';
import type { Task } from './task.ts';
import { writeTokenFloats, writeTokenInfo } from './token-info.ts';

interface EmbeddingResult {
  readonly embeddings: readonly { readonly embedding: Float32Array; readonly token_info: TokenInfo }[];
}

export const embeddingTask: Task<EmbeddingResult> = {
  details: true,
  printedAs: 'embeddings',
  lineKey: 'embedding',
  flags: {
    pooling: {
      value: 'mode',
      help: 'Embedding models: one vector per text with mean, one per token with none',
      choices: ['mean', 'none'],
    },
  },
  sharedFlags: ['normalize'],

  printOptions: (flags) => ({
    normalize: flags.choice('normalize') ?? false,
    pooling: flags.text('pooling') === 'none' ? 'none' : 'mean',
  }),

  result(inference, manifest, options): EmbeddingResult {
    const { windows } = inference;
    if (windows) {
      return {
        embeddings: windows.flatMap((window) => embeddingTask.result(window, manifest, options).embeddings),
      };
    }
    const { normalize } = options;
    const { values: rows, width } = vectorsOf(inference, manifest);
    const embeddings = tokenRows({ text: inference.text, values: rows }, width).map(({ info, values }) => {
      const vector = finiteOutput(values, manifest);
      return { embedding: normalize ? normalizeL2(vector) : vector, token_info: info };
    });
    return { embeddings };
  },

  proto({ embeddings }) {
    const writer = new BinaryWriter();
    for (const { embedding: values, token_info } of embeddings) {
      writer.tag(1, WireType.LengthDelimited).fork();
      writeTokenFloats(writer, 1, values);
      writeTokenInfo(writer, 2, token_info);
      writer.join();
    }
    return writer.finish();
  },

  printed(inference, { manifest }, options) {
    if (options.pooling === 'none') {
      return embeddingTask.result(inference, manifest, options).embeddings.map((token) => token.embedding);
    }
    return textVector(inference, manifest, options);
  },
};
