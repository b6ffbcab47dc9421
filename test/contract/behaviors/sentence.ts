import type { Behaviors } from './behavior.ts';

/** Documented behavior of sentence_embedding models. */
export const SENTENCE = {
  'sentence:golden': {
    source: 'docs/build.md#model-types',
    behavior:
      'Vectors for all golden texts, with each prompt and without a prompt, match sentence-transformers.',
  },
  'sentence:pooled': {
    source: 'docs/config.md#sentence-embeddings',
    behavior: "A model's sentence_embedding output is returned unchanged.",
  },
  'sentence:options': {
    source: 'docs/serve.md',
    behavior:
      "The request options normalize, dimensions, prompt_name and prompt take precedence over the model's settings.",
  },
  'sentence:refused': {
    source: 'docs/serve.md',
    behavior:
      'An unknown prompt, a prompt that is too long, an instruction without a task to replace, too many dimensions and an empty text cause InputErrors that state the rule.',
  },
  'sentence:metadata': {
    source: 'docs/serve.md',
    behavior:
      "The model metadata contains the model's type; over HTTP, it also contains pooling, dimensions and prompts.",
  },
  'sentence:infer': {
    source: 'docs/infer.md',
    behavior:
      'infer prints {"embeddings": [[float]], "metadata": null}, with one vector per input, and the vectors match sentence-transformers.',
  },
  'sentence:infer-options': {
    source: 'docs/infer.md',
    behavior:
      "--normalize, --dimensions, --prompt-name and --prompt take precedence over the model's settings.",
  },
  'sentence:infer-file': {
    source: 'docs/infer.md',
    behavior: 'infer --input writes one line with a vector for each text.',
  },
  'sentence:infer-resume': {
    source: 'docs/infer.md',
    behavior: 'A run that was started with one prompt cannot be resumed with a different prompt.',
  },
  'sentence:inspect': {
    source: 'docs/executable.md',
    behavior: "inspect shows the model's pooling and its prompts.",
  },
  'sentence:build': {
    source: 'docs/config.md',
    behavior:
      'Settings that are missing in the config are read from the files that sentence-transformers saves.',
  },
  'sentence:build-refused': {
    source: 'docs/config.md',
    behavior:
      'Settings that the model does not support are rejected with a one-sentence error that suggests a fix.',
  },
  'sentence:modules': {
    source: 'docs/config.md',
    behavior:
      'Modules after pooling are applied over every protocol, and return the same vectors and dimensions as in sentence-transformers.',
  },
  'sentence:similarity': {
    source: 'docs/serve.md',
    behavior: "/similarity compares vectors with the model's saved similarity function.",
  },
  'sentence:older-folder': {
    source: 'docs/config.md',
    behavior: 'A model whose config, tokenizer and graph are in the folder 0_Transformer can be built.',
  },
} as const satisfies Behaviors;
