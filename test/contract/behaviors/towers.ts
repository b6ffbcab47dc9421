import type { Behaviors } from './behavior.ts';

/** Documented behavior of models with an encoder of texts and an encoder of images. */
export const TOWERS = {
  'towers:golden': {
    source: 'docs/images.md#texts-and-images',
    behavior:
      'Vectors of texts and images are equal to those of transformers over every protocol, mixed in one request and alone.',
  },
  'towers:forms': {
    source: 'docs/images.md#texts-and-images',
    behavior:
      'Texts and images can be sent in one request in the forms of other APIs, with the same vectors, and compared at /similarity.',
  },
  'towers:labels': {
    source: 'docs/images.md#labels-in-the-request',
    behavior:
      'Scores of the labels in a request are equal to those of the transformers pipeline over every protocol, and in the format of the Inference API.',
  },
  'towers:refused': {
    source: 'docs/images.md#labels-in-the-request',
    behavior: 'Bad images, missing labels and too many inputs are rejected with one sentence.',
  },
  'towers:infer': {
    source: 'docs/images.md#texts-and-images',
    behavior:
      'infer reads texts and paths of images together, also from a file, and scores the labels in --labels.',
  },
  'towers:build': {
    source: 'docs/images.md#texts-and-images',
    behavior:
      'A folder with both encoders, a tokenizer and preprocessor_config.json builds without settings; incomplete folders are rejected.',
  },
  'towers:urls': {
    source: 'docs/images.md#urls',
    behavior:
      'A model that reads texts and images fetches URLs in place of an image, if their hosts are allowed, and reads URLs in place of a text as texts.',
  },
} as const satisfies Behaviors;
