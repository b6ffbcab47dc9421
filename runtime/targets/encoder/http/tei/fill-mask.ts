import type { ServingEngine } from '../../engine/serving.ts';
import { type FilledText, targetIds } from '../../tasks/masks.ts';
import { filled } from '../../predict/masks.ts';
import { overflowOf } from '../../schemas/overflow.ts';
import type { FillMaskRequest } from '../../schemas/tei.ts';
import { type ModelCaller, runModel } from '../run-model.ts';

/** Candidates for the masks of texts, for clients of Hugging Face's Inference API. */
export async function fillMask(
  caller: ModelCaller,
  engine: ServingEngine,
  body: FillMaskRequest,
): Promise<unknown> {
  const { inputs, parameters } = body;
  const targets = await targetIds(engine, parameters?.targets);
  const options = { topK: parameters?.top_k ?? undefined, targets };
  const { results } = await runModel(caller, engine, {
    inputs: [inputs].flat().map((text) => ({ text })),
    view: { kind: 'result', format: 'json', options },
    overflow: overflowOf(body),
  });
  const texts = (await filled(engine, results)).map(candidatesOf);
  return typeof inputs === 'string' ? texts[0] : texts;
}

/** One list for each mask, or only that of a single mask. */
function candidatesOf({ masks }: FilledText): object[] {
  const lists = masks.map(({ candidates }) =>
    candidates.map(({ token, token_id, score, sequence }) => ({
      score,
      token: token_id,
      token_str: token,
      sequence,
    })),
  );
  return lists.length === 1 ? (lists[0] ?? []) : lists;
}
