import type { Behaviors } from './behavior.ts';

/** What models of type sentence_embedding promise. */
export const SENTENCE = {
  'sentence:golden': {
    source: 'docs/build.md#model-types',
    behavior:
      'Vectors of all golden texts, with each prompt and without, are those of sentence-transformers.',
  },
  'sentence:pooled': {
    source: 'docs/config.md#sentence-embeddings',
    behavior: 'The output sentence_embedding of a model is returned unchanged.',
  },
  'sentence:options': {
    source: 'docs/serve.md',
    behavior: 'normalize, dimensions and prompt_name of a request go before the settings of the model.',
  },
  'sentence:refused': {
    source: 'docs/serve.md',
    behavior: 'An unknown prompt, too many dimensions and an empty text are InputErrors that name the rule.',
  },
  'sentence:metadata': {
    source: 'docs/serve.md',
    behavior: 'The metadata of the model names its type; over HTTP also pooling, dimensions and prompts.',
  },
  'sentence:infer': {
    source: 'docs/infer.md',
    behavior:
      'infer prints {"embeddings": [[float]], "metadata": null}, one vector per input, those of sentence-transformers.',
  },
  'sentence:infer-options': {
    source: 'docs/infer.md',
    behavior: '--normalize, --dimensions and --prompt-name go before the settings of the model.',
  },
  'sentence:infer-file': {
    source: 'docs/infer.md',
    behavior: 'infer --input gives each text a line with its vector.',
  },
  'sentence:infer-resume': {
    source: 'docs/infer.md',
    behavior: 'A run that was begun with one prompt is not finished with another.',
  },
  'sentence:inspect': {
    source: 'docs/executable.md',
    behavior: 'inspect shows how the model pools and which prompts it has.',
  },
  'sentence:build': {
    source: 'docs/config.md',
    behavior: 'Settings missing in the config are read from the files that sentence-transformers saves.',
  },
  'sentence:build-refused': {
    source: 'docs/config.md',
    behavior: 'Settings that the model cannot have are refused, each with a sentence that has the way out.',
  },
  'sentence:modules': {
    source: 'docs/config.md',
    behavior:
      'Modules that follow pooling are applied on every wire, with the vectors and the width of sentence-transformers.',
  },
  'sentence:similarity': {
    source: 'docs/serve.md',
    behavior: '/similarity compares vectors with the function that the model was saved with.',
  },
  'sentence:older-folder': {
    source: 'docs/config.md',
    behavior: 'A model whose config, tokenizer and graph are in the folder 0_Transformer can be built.',
  },
} as const satisfies Behaviors;
