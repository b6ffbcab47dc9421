import { hasTowers, readTowers } from '../images/towers.ts';
import type { BuildType } from './build-type.ts';
import { clue } from './evidence.ts';

/** Build rules for models that return vectors of texts and images in one space, such as CLIP. */
export const imageTextEmbeddingBuild: BuildType<'image_text_embedding'> = {
  guess: (evidence) =>
    clue('file', hasTowers(evidence), 'it has encoders for texts and for images, and a tokenizer'),
  alternative: {
    type: 'zero_shot_image_classification',
    sentence: 'It returns vectors of texts and of images',
    phrase: 'vectors of texts and of images',
    returns: 'scores of the labels in a request for an image',
  },
  inferInputs: '"some text" photo.jpg',
  read: (request) => readTowers(request, 'image_text_embedding', () => ({})),
};
