import { inputError } from '../../../contract/errors.ts';
import { parseJsonText } from '../../../core/json/json-text.ts';
import { shortestFloat32 } from '../../../core/numbers/float32.ts';
import { itemAt } from '../../../core/values/item-at.ts';
import type { EngineAnswer, EngineRequest, RequestOverflow, ServingEngine } from '../engine/serving.ts';
import { scoreLabels } from '../maths/entailment-scores.ts';
import type { LabelPlan } from '../../../core/model/label-plan.ts';

/** Members as in the zero-shot classification pipeline of transformers. */
export interface ZeroShotResult {
  readonly sequence: string;
  /** The label with the highest score first. */
  readonly labels: readonly string[];
  readonly scores: readonly number[];
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
  run: (request: Omit<EngineRequest, 'signal'>) => Promise<EngineAnswer>,
): Promise<ZeroShotResult[]> {
  const { labels, hypotheses, multiLabel } = plan;
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
    const scored = scoreLabels(logits, manifest.id2label, multiLabel);
    return {
      sequence,
      labels: scored.map(({ index }) => itemAt(labels, index)),
      scores: scored.map(({ score }) => shortestFloat32(Math.fround(score))),
    };
  });
}

function logitsOf(result: Uint8Array): Float32Array {
  const { logits } = parseJsonText(Buffer.from(result).toString()) as { readonly logits: readonly number[] };
  return Float32Array.from(logits);
}
