import type { Behaviors } from './behavior.ts';

/** What models with entity types in the request promise. */
export const ZERO_SHOT_NER = {
  'zero_shot_ner:golden': {
    source: 'docs/serve.md#entities-of-types-in-the-request',
    behavior:
      'Entities of models that score spans and of models that score words are those of the gliner package, over every wire and with infer, also in texts of several windows.',
  },
  'zero_shot_ner:alone': {
    source: 'docs/serve.md#how-requests-run',
    behavior: 'Concurrent requests with other labels and texts do not change the entities of a text.',
  },
  'zero_shot_ner:errors': {
    source: 'docs/serve.md',
    behavior:
      'Missing, empty and invalid labels and thresholds are refused with one sentence each, over every wire.',
  },
  'zero_shot_ner:guess': {
    source: 'docs/config.md#entities-of-types-in-the-request-gliner',
    behavior:
      'init and build without a config detect the type by gliner_config.json, and refuse other kinds of GLiNER models, safetensors and transforms with the way out.',
  },
} satisfies Behaviors;
