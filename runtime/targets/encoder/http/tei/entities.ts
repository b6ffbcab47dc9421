import type { ServingEngine } from '../../engine/serving.ts';
import { overflowOf } from '../../schemas/overflow.ts';
import type { EntitiesRequest } from '../../schemas/tei.ts';
import { addEntities } from '../../predict/entities.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { type ModelCaller, runModel } from '../run-model.ts';

/** The entities of one text, for clients of Hugging Face's Inference API. */
export async function entities(
  caller: ModelCaller,
  engine: ServingEngine,
  body: EntitiesRequest,
): Promise<unknown> {
  const { results } = await runModel(caller, engine, {
    inputs: [{ text: body.inputs }],
    view: { kind: 'result', format: 'json', options: {} },
    overflow: overflowOf(body),
  });
  const strategy = body.parameters?.aggregation_strategy ?? 'simple';
  const [result = new Uint8Array()] = await addEntities(engine, [body.inputs], results, strategy);
  const found = parseJsonText(Buffer.from(result).toString()) as { entities: object[] };
  return found.entities;
}
