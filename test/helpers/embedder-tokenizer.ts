import { join } from 'node:path';
import { prepareTokenizer, type PreparedTokenizer } from '#cli/packaging/model/prepare-tokenizer.ts';
import { FIXTURES } from './paths.ts';

/** The tokenizer of the fixture `embedder`, for tests that prepare a graph without model files. */
export async function embedderTokenizer(): Promise<PreparedTokenizer> {
  const models = join(FIXTURES, 'models/embedder');
  return await prepareTokenizer(
    {
      tokenizer: join(models, 'tokenizer.json'),
      tokenizerConfig: join(models, 'tokenizer_config.json'),
    },
    {},
  );
}
