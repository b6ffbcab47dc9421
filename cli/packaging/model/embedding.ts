import { isMaskedEncoder } from '../architectures/architectures.ts';
import { writeHiddenStates } from '../architectures/write-graph.ts';
import type { BuildType } from './build-type.ts';
import { compareTokenVectors } from './compare.ts';
import { clue } from './evidence.ts';
import { readModelConfig } from './model-config.ts';

/** A model that returns unpooled token vectors. */
export const embeddingBuild: BuildType<'embedding'> = {
  guess({ architectures: [architecture], config: { model_type: family }, outputs }) {
    const vectors = outputs.find(({ name }) => name === 'last_hidden_state' || name === 'token_embeddings');
    return [
      ...clue('encoder', architecture !== undefined, `config.json names ${architecture}`),
      // Some encoders that others fine-tune are published without `architectures`.
      ...clue(
        'encoder',
        architecture === undefined && outputs.length === 0 && isMaskedEncoder(family),
        `config.json names the encoder ${String(family)} without a head`,
      ),
      ...clue('encoder', vectors !== undefined, `the graph returns ${vectors?.name}`),
    ];
  },
  alternative: {
    type: 'sentence_embedding',
    sentence: 'It returns one vector per token',
    phrase: 'one vector per token',
    returns: 'one vector per text',
  },
  read: async ({ files }) => ({
    modelConfig: await readModelConfig(files),
    withTokenizer: () => ({
      write: writeHiddenStates,
      rules: {},
      withGraph: ({ width }) => ({
        compare: compareTokenVectors(width),
        facts: () => ({ modelType: 'embedding' }),
      }),
    }),
  }),
};
