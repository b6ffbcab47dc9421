import type { Manifest } from '#contract/manifest.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { memberOf } from '#core/values/member-of.ts';
import type { EngineInput, ServingEngine } from '../../engine/serving.ts';
import { overflowOf } from '../../schemas/overflow.ts';
import type { ClassifyRequest } from '../../schemas/tei.ts';
import { type ModelCaller, runModel } from '../run-model.ts';

/** Members of the contract's body that the bodies of Hugging Face's APIs do not have. They would be ignored there. */
const CONTRACT_MEMBERS = ['metadata', 'top_k', 'aggregation'];

/**
 * Whether a body of `/predict` is one of text-embeddings-inference or of Hugging Face's Inference API: `inputs` is a single
 * text, or there is a member that only they have. The contract's body has a list of inputs and none of these members.
 */
export function isHuggingFaceBody(body: unknown): boolean {
  const has = (name: string): boolean => memberOf(body, name) !== undefined;
  if (CONTRACT_MEMBERS.some(has)) return false;
  return typeof memberOf(body, 'inputs') === 'string' || has('raw_scores') || has('parameters');
}

/** Labels with their scores, highest first. Clients of the Inference API expect a list of lists, also for one text. */
export async function classify(
  caller: ModelCaller,
  engine: ServingEngine,
  body: ClassifyRequest,
  api: 'tei' | 'inference-api' = body.parameters ? 'inference-api' : 'tei',
): Promise<unknown> {
  const { inputs, parameters } = body;
  const raw = wantsLogits(body, engine.manifest);
  const { results } = await runModel(caller, engine, {
    inputs: typeof inputs === 'string' ? [{ text: inputs }] : inputs.map(engineInput),
    view: { kind: 'result', format: 'json', options: {} },
    overflow: overflowOf(body),
  });
  const predictions = results.map((result) =>
    rank(result, raw, engine.manifest).slice(0, parameters?.top_k ?? undefined),
  );
  return typeof inputs === 'string' && api === 'tei' ? predictions[0] : predictions;
}

const engineInput = ([text = '', pair]: readonly string[]): EngineInput => ({ text, pair });

function wantsLogits({ raw_scores: raw, parameters }: ClassifyRequest, manifest: Manifest): boolean {
  const isNone = parameters?.function_to_apply === 'none';
  return isNone && manifest.scoreFunction !== 'none' ? true : (raw ?? false);
}

function rank(result: Uint8Array, raw: boolean, { id2label }: Manifest): { label: string; score: number }[] {
  const { logits, scores } = parseJsonText(Buffer.from(result).toString()) as {
    logits: number[];
    scores: number[];
  };
  return (raw ? logits : scores)
    .map((score, index) => ({ label: id2label?.[index] ?? `LABEL_${index}`, score }))
    .sort((a, b) => b.score - a.score);
}
