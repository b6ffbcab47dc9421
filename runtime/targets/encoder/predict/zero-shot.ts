import { inputError } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { RequestOverflow, RunModel, ServingEngine } from '../engine/serving.ts';
import { type RankedLabels, rankLabels } from '../tasks/zero-shot-classification.ts';
import type { LabelPlan } from '#core/model/label-plan.ts';

/** Members as in the zero-shot classification pipeline of transformers. */
export interface ZeroShotResult extends RankedLabels {
  readonly sequence: string;
}

interface ZeroShotRequest {
  readonly texts: readonly string[];
  readonly plan: LabelPlan;
  readonly overflow?: RequestOverflow;
}

/** Runs the model on each text with the sentence about each label. */
export async function classifyByLabels(
  { manifest, limits }: Pick<ServingEngine, 'manifest' | 'limits'>,
  { texts, plan, overflow }: ZeroShotRequest,
  run: RunModel,
): Promise<ZeroShotResult[]> {
  const { labels, hypotheses } = plan;
  const pairs = texts.length * labels.length;
  if (pairs > limits.maxClientBatch) {
    throw inputError(
      `Too many pairs of texts and labels: ${texts.length} x ${labels.length} are ${pairs}, the maximum is ${limits.maxClientBatch} (--max-client-batch). Send several requests.`,
    );
  }
  const { results } = await run({
    inputs: texts.flatMap((text) => hypotheses.map((pair) => ({ text, pair }))),
    group: labels.length,
    view: { kind: 'result', format: 'json', options: {} },
    overflow,
  });
  return texts.map((sequence, at) => {
    const logits = results.slice(at * labels.length, (at + 1) * labels.length).map(logitsOf);
    return { sequence, ...rankLabels(logits, manifest, plan) };
  });
}

function logitsOf(result: Uint8Array): Float32Array {
  const { logits } = parseJsonText(Buffer.from(result).toString()) as { readonly logits: readonly number[] };
  return Float32Array.from(logits);
}
