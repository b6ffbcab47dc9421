import type { Behaviors } from './behavior.ts';

/** What models with entity types in the request promise. */
export const ZERO_SHOT_NER = {
  'zero_shot_ner:golden': {
    source: 'docs/serve.md#zero-shot-entity-recognition',
    behavior:
      'Entities from models that score spans and from models that score words match the gliner package, over every protocol and with infer, also in texts with several windows.',
  },
  'zero_shot_ner:alone': {
    source: 'docs/serve.md#how-requests-run',
    behavior: "Concurrent requests with other labels and texts do not change a text's entities.",
  },
  'zero_shot_ner:errors': {
    source: 'docs/serve.md',
    behavior:
      'Missing, empty and invalid labels and thresholds are rejected with one sentence each, over every protocol.',
  },
  'zero_shot_ner:guess': {
    source: 'docs/config.md#zero-shot-entity-recognition-gliner',
    behavior:
      'init and build without a config detect the type from gliner_config.json, and reject other kinds of GLiNER models, safetensors and transforms, with a suggested fix.',
  },
} satisfies Behaviors;
