import { inputError } from '#contract/errors.ts';
import { bertscore } from '../../../metrics/text/bertscore.ts';
import { isFailure } from '../../inference/inference.ts';
import { callBatched } from '../../inference/call-batched.ts';
import type { MetricFamily } from '../evaluation.ts';
import { all, asIs } from '../scorer.ts';
import { cellText, referenceTexts } from '../read-cells.ts';

type Vectors = readonly (readonly number[])[];

/** Compares the token vectors of prediction and ground truth, which an encoder computes. */
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
        `bertscore requires an encoder of type embedding, by URL or as a file${embedder ? `, not ${embedder.name}` : ''}.`,
      );
    }
    return {
      async prepare(samples, { signal, spend }) {
        const texts = samples.map(({ prediction, truth }) => [
          cellText(prediction),
          ...referenceTexts(truth),
        ]);
        // Empty texts have no tokens, and encoders reject them.
        const unique = [...new Set(texts.flat())].filter((text) => text.trim() !== '');
        const { answers, sharedTokens } = await callBatched(unique, tokenVectors, { clock, signal });
        spend({ promptTokens: sharedTokens, completionTokens: 0 });
        const found = new Map(unique.map((text, at) => [text, answers[at]]));
        const vectorsOf = (text = ''): { readonly vectors: Vectors } => {
          const answer = found.get(text);
          if (answer && isFailure(answer)) throw inputError(answer.error);
          return { vectors: answer?.value ?? [] };
        };
        return texts.map(
          ([prediction, reference, ...others]) =>
            () =>
              metric.add({
                prediction: vectorsOf(prediction),
                reference: vectorsOf(reference),
                otherReferences: others.map(vectorsOf),
              }),
        );
      },
      result: metric.result,
      save: metric.save,
    };
  },
};
