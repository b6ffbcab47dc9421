import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { meanOfRows, normalizeL2 } from '../../../core/vectors.ts';
import type { Task } from './task.ts';
import { type TokenInfo, tokenRows, writeFloats, writeTokenInfo } from './token-info.ts';

interface EmbeddingResult {
  readonly embeddings: readonly { readonly embedding: Float32Array; readonly token_info: TokenInfo }[];
}

export const embedding: Task<EmbeddingResult> = {
  details: true,
  printedAs: 'embeddings',
  lineKey: 'embedding',

  result(inference, { width }, { normalize }) {
    const embeddings = tokenRows(inference, width).map(({ info, values }) => ({
      embedding: normalize ? normalizeL2(values) : values,
      token_info: info,
    }));
    return { embeddings };
  },

  proto({ embeddings }) {
    const writer = new BinaryWriter();
    for (const { embedding: values, token_info } of embeddings) {
      writer.tag(1, WireType.LengthDelimited).fork();
      writeFloats(writer, 1, values);
      writeTokenInfo(writer, 2, token_info);
      writer.join();
    }
    return writer.finish();
  },

  printed(inference, manifest, options) {
    if (options.pooling === 'none') {
      return embedding.result(inference, manifest, options).embeddings.map((token) => token.embedding);
    }
    const { text, values } = inference;
    const mean = meanOfRows(values, text.ids.length, manifest.width);
    return options.normalize ? normalizeL2(mean) : mean;
  },
};
