import type { Behaviors } from './behavior.ts';

/** Documented behavior of static models, which have one vector per token and no encoder. */
export const STATIC = {
  'static:golden': {
    source: 'docs/config.md#static-models',
    behavior:
      'Vectors of a static model are equal to those of sentence-transformers over every protocol, alone and together.',
  },
  'static:routes': {
    source: 'docs/config.md#static-models',
    behavior: 'Every route for vectors serves a static model, and texts without tokens have zero vectors.',
  },
  'static:infer': {
    source: 'docs/config.md#static-models',
    behavior: 'infer, inspect and verify work with a static model.',
  },
  'static:build': {
    source: 'docs/config.md#static-models',
    behavior:
      'Folders of sentence-transformers and model2vec can be built without settings, and return the same vectors as these libraries.',
  },
  'static:distilled': {
    source: 'docs/config.md#static-forms',
    behavior:
      'distill: static builds the static form of an encoder as model2vec does, and the build fails if too few of the nearest texts stay the same.',
  },
  'static:refused': {
    source: 'docs/config.md#static-models',
    behavior:
      'Damaged tables, and settings that require an encoder, are rejected with a sentence that states the rule.',
  },
} as const satisfies Behaviors;
