import type { Behaviors } from './behavior.ts';

/** Documented behavior of models with entity types in the request. */
export const ZERO_SHOT_NER = {
  'zero_shot_ner:golden': {
    source: 'docs/serve.md#zero-shot-entity-recognition',
    behavior:
      'Entities from models that score spans from models that score words, and from models with a second encoder for labels match the gliner package, over every protocol and with infer, even for texts with several windows.',
  },
  'zero_shot_ner:alone': {
    source: 'docs/serve.md#how-requests-run',
    behavior: "A text's entities do not depend on concurrent requests with other labels and texts.",
  },
  'zero_shot_ner:many-labels': {
    source: 'docs/serve.md#zero-shot-entity-recognition',
    behavior:
      'A model with a second encoder for labels accepts hundreds of labels, each with the score that it has alone, and rejects more than it can read in one run.',
  },
  'zero_shot_ner:errors': {
    source: 'docs/serve.md',
    behavior:
      'Missing, empty and invalid labels and thresholds each cause a one-sentence error, over every protocol.',
  },
  'zero_shot_ner:guess': {
    source: 'docs/config.md#zero-shot-entity-recognition-gliner',
    behavior:
      'Without a config, init and build detect the type from gliner_config.json, and reject other kinds of GLiNER models, damaged weights and transforms with a suggested fix.',
  },
  'zero_shot_ner:weights': {
    source: 'docs/config.md#zero-shot-entity-recognition-gliner',
    behavior:
      'A GLiNER model is built from its safetensors or its pytorch_model.bin, and returns the same entities as the gliner package.',
  },
  'zero_shot_ner:weights-refused': {
    source: 'docs/config.md#zero-shot-entity-recognition-gliner',
    behavior:
      'Settings of a GLiNER model for which no graph can be written each cause an error that names the setting and the export.',
  },
  'zero_shot_ner:named-encoder': {
    source: 'docs/config.md#zero-shot-entity-recognition-gliner',
    behavior:
      'For a GLiNER model without a tokenizer, only the tokenizer files of the encoder that it names are downloaded, and the entities are those of the gliner package; afterwards, builds work offline.',
  },
  'zero_shot_ner:named-encoder-refused': {
    source: 'docs/config.md#zero-shot-entity-recognition-gliner',
    behavior:
      'An encoder that is not a repository on the hub, has no tokenizer, is not available, or has a tokenizer of another size causes a one-sentence error, and no files outside the cache are read.',
  },
  'zero_shot_ner:label-tokenizer': {
    source: 'docs/config.md#zero-shot-entity-recognition-gliner',
    behavior:
      'The tokenizer of the second encoder of a GLiNER model is that in labels_tokenizer, or is downloaded from the repository that gliner_config.json names, without weights; the entities are those of the gliner package, and later builds work offline.',
  },
  'zero_shot_ner:label-tokenizer-refused': {
    source: 'docs/config.md#zero-shot-entity-recognition-gliner',
    behavior:
      'A second encoder that is not a repository on the hub, has no tokenizer, is not available, has another vocabulary, or does not belong to the graph causes a one-sentence error.',
  },
} satisfies Behaviors;
