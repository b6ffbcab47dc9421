import { configError } from '#contract/errors.ts';
import type { ScoreFunction } from '#contract/score-function.ts';
import { readSimilarityScale } from '../architectures/towers.ts';
import { isStoredWeights } from '../architectures/weight-files.ts';
import { readTowers } from '../images/towers.ts';
import type { BuildType } from './build-type.ts';

/** Build rules for models that compare images with texts about labels, such as CLIP. */
export const zeroShotImageClassificationBuild: BuildType<'zero_shot_image_classification'> = {
  // The same models are embedding models, so this type is only built if it is chosen.
  guess: () => [],
  inferOptions: '--labels "one,another"',
  inferInputs: 'photo.jpg',
  read: (request) =>
    readTowers(request, 'zero_shot_image_classification', async (weights) => {
      if (!isStoredWeights(weights)) {
        throw configError(
          `${weights} is an exported graph, which does not contain the scale that converts similarities to scores. Choose the weights with \`variant: safetensors\`, or set \`model_type: image_text_embedding\`.`,
        );
      }
      const similarityScale = await readSimilarityScale(weights);
      // Models that are trained with a bias score each pair of an image and a text on its own.
      const scoreFunction: ScoreFunction = similarityScale.bias === undefined ? 'softmax' : 'sigmoid';
      return { similarityScale, scoreFunction };
    }),
};
