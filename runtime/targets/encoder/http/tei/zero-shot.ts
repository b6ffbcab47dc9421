import type { ServingEngine } from '../../engine/serving.ts';
import { planLabels } from '#core/model/label-plan.ts';
import { classifyByLabels } from '../../predict/zero-shot.ts';
import { overflowOf } from '../../schemas/overflow.ts';
import type { ZeroShotRequest } from '../../schemas/tei.ts';
import { type ModelCaller, runModel } from '../run-model.ts';

/** Labels with their scores, in the format of the Inference API. */
export async function zeroShot(
  caller: ModelCaller,
  engine: ServingEngine,
  body: ZeroShotRequest,
): Promise<unknown> {
  const { inputs, parameters } = body;
  const results = await classifyByLabels(
    engine,
    {
      texts: typeof inputs === 'string' ? [inputs] : inputs,
      plan: planLabels({
        labels: parameters.candidate_labels,
        template: parameters.hypothesis_template,
        multiLabel: parameters.multi_label,
      }),
      overflow: overflowOf(body),
    },
    (request) => runModel(caller, engine, request),
  );
  return typeof inputs === 'string' ? results[0] : results;
}
