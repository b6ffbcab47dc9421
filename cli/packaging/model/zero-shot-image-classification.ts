import { configError } from '#contract/errors.ts';
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
  async read(request) {
    const { modelConfig, tokenized, facts, report } = await readTowers(
      request,
      'zero_shot_image_classification',
    );
    const { weights } = request.files;
    if (!isStoredWeights(weights)) {
      throw configError(
        `${weights} is an exported graph, which does not contain the scale that converts similarities to scores. Choose the weights with \`variant: safetensors\`, or set \`model_type: image_text_embedding\`.`,
      );
    }
    const similarityScale = await readSimilarityScale(weights);
    return {
      modelConfig,
      withTokenizer: ({ settings }) => ({
        ...tokenized(settings.padId),
        withGraph: (_, image) => ({
          report,
          facts: (graph) => ({
            modelType: 'zero_shot_image_classification',
            ...facts(graph, image),
            similarityScale,
            // Models that are trained with a bias score each pair of an image and a text on its own.
            scoreFunction: similarityScale.bias === undefined ? 'softmax' : 'sigmoid',
          }),
        }),
      }),
    };
  },
};
