import { inputError } from '../../../../../../contract/errors.ts';
import { bertscore } from '../../../metrics/text/bertscore/metric.ts';
import { isFailure } from '../../inference/inference.ts';
import { askTogether } from '../../inference/ask-together.ts';
import type { MetricFamily } from '../evaluation.ts';
import { all, asIs } from '../names.ts';
import { readText } from '../../read-text.ts';

type Vectors = readonly (readonly number[])[];

/** Compares the vectors of tokens, which an encoder gives for prediction and ground truth. */
export const bertscoreFamily: MetricFamily = {
  name: 'bertscore',
  metrics: { bertscore: all },
  needs: ['embedder'],
  shownAs: asIs,
  open({ embedder, pacing: { clock } }, saved) {
    const metric = bertscore({}, saved);
    const { tokenVectors } = embedder ?? {};
    if (!tokenVectors) {
      throw inputError(
        `bertscore needs an encoder of type embedding, by its address or as a file${embedder ? `, which ${embedder.name} is not` : ''}.`,
      );
    }
    return {
      async prepare(samples, { signal, spend }) {
        const texts = samples.map(({ prediction, truth }) => [readText(prediction), readText(truth)]);
        // No encoder takes an empty text, and there are no tokens in it.
        const asked = [...new Set(texts.flat())].filter((text) => text.trim() !== '');
        const { answers, sharedTokens } = await askTogether(asked, tokenVectors, { clock, signal });
        spend({ promptTokens: sharedTokens, completionTokens: 0 });
        const found = new Map(asked.map((text, at) => [text, answers[at]]));
        const vectorsOf = (text = ''): { readonly vectors: Vectors } => {
          const answer = found.get(text);
          if (answer && isFailure(answer)) throw inputError(answer.error);
          return { vectors: answer?.value ?? [] };
        };
        return texts.map(
          ([prediction, reference]) =>
            () =>
              metric.add({ prediction: vectorsOf(prediction), reference: vectorsOf(reference) }),
        );
      },
      result: metric.result,
      save: metric.save,
    };
  },
};
