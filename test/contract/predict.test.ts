import { afterAll, expect } from 'vitest';
import { type GoldenText, readGolden } from '../helpers/golden.ts';
import type { PredictRequest, PredictResponse, PredictResult, Transport } from './clients.ts';
import type { Served, ServingArm } from './serving.ts';
import { verifiesOverWires } from './verifies.ts';

const SERVICES = { sentiment: 'SequenceClassification', ner: 'TokenClassification', embedder: 'Embedding' };
type Model = keyof typeof SERVICES;

const served = new Map<string, Promise<Served>>();
const serve = (arm: ServingArm, model: Model): Promise<Served> => {
  const key = `${arm.name} ${model}`;
  const running = served.get(key) ?? arm.serve(model);
  served.set(key, running);
  return running;
};
afterAll(async () => {
  for (const running of served.values()) await (await running).stop();
});

async function predict(
  arm: ServingArm,
  transport: Transport,
  model: Model,
  request: PredictRequest,
): Promise<PredictResponse> {
  const client = await transport.connect(await serve(arm, model), SERVICES[model]);
  try {
    return await client.predict(model === 'embedder' ? { normalize: false, ...request } : request);
  } finally {
    await client.close();
  }
}

verifiesOverWires('predict:golden', async (arm, transport) => {
  for (const model of Object.keys(SERVICES) as Model[]) {
    const golden = readGolden(model);
    const { results, model_id } = await predict(arm, transport, model, {
      inputs: golden.map(({ text }) => text),
    });
    expect(model_id).toBe(model);
    expect(results).toHaveLength(golden.length);
    for (const [at, result] of results.entries()) expectGolden(result, golden[at]);
  }
});

verifiesOverWires('predict:metadata', async (arm, transport) => {
  const metadata = { trace: 'é 42', empty: '' };
  const answer = await predict(arm, transport, 'sentiment', { inputs: ['hello'], metadata });
  expect(answer.metadata).toEqual(metadata);
  const without = await predict(arm, transport, 'sentiment', { inputs: ['hello'] });
  expect(without.metadata ?? {}).toEqual({});
});

verifiesOverWires('predict:empty', async (arm, transport) => {
  for (const inputs of [[], [''], ['fine', '']]) {
    await expect(predict(arm, transport, 'ner', { inputs })).rejects.toMatchObject({
      code: transport.inputError,
      message: 'Cannot tokenize empty string',
    });
  }
  expect((await predict(arm, transport, 'ner', { inputs: [' '] })).results).toEqual([{ tokens: [] }]);
});

verifiesOverWires('predict:normalize', async (arm, transport) => {
  const lengths = async (normalize: boolean): Promise<number[]> => {
    const { results } = await predict(arm, transport, 'embedder', { inputs: ['one two three'], normalize });
    return (results[0]?.embeddings ?? []).map(({ embedding }) => Math.hypot(...embedding));
  };
  for (const length of await lengths(true)) expect(length).toBeCloseTo(1, 5);
  for (const length of await lengths(false)) expect(Math.abs(length - 1)).toBeGreaterThan(0.01);
});

verifiesOverWires('predict:order', async (arm, transport) => {
  const golden = readGolden('sentiment').slice(0, 40);
  const together = await Promise.all(
    golden.map(({ text }) => predict(arm, transport, 'sentiment', { inputs: [text, 'another'] })),
  );
  for (const [at, { results }] of together.entries()) expectGolden(results[0], golden[at]);
});

/** Everything that independent libraries compute of a text, within 1e-5. */
function expectGolden(result: PredictResult | undefined, golden: GoldenText | undefined): void {
  if (!result || !golden) throw new Error('a result for every text');
  const kept = golden.input_ids.flatMap((_, at) => (golden.special_tokens_mask[at] === 0 ? [at] : []));
  const rows = result.tokens ?? result.embeddings;
  if (!rows) {
    expect(result.predicted_label).toBe(golden.predicted_label);
    expectClose(result.logits, golden.logits as number[], golden.id);
    expectClose(result.scores, golden.scores as number[], golden.id);
    return;
  }
  expect(rows.map(({ token_info }) => token_info)).toEqual(
    kept.map((at) => ({
      token: golden.tokens[at],
      token_id: golden.input_ids[at],
      start: golden.offsets[at]?.[0],
      end: golden.offsets[at]?.[1],
    })),
  );
  for (const [row, at] of kept.entries()) {
    expectClose(result.embeddings?.[row]?.embedding, golden.embeddings?.[at], golden.id);
    expectClose(result.tokens?.[row]?.logits, golden.logits?.[at] as number[] | undefined, golden.id);
    expectClose(result.tokens?.[row]?.scores, golden.scores?.[at] as number[] | undefined, golden.id);
    expect(result.tokens?.[row]?.label).toBe(golden.labels?.[at]);
  }
}

function expectClose(
  actual: readonly number[] | undefined,
  expected: readonly number[] | undefined,
  id: string,
): void {
  expect(actual?.length, id).toBe(expected?.length);
  const worst = (actual ?? []).reduce(
    (most, value, at) => Math.max(most, Math.abs(value - (expected?.[at] ?? NaN))),
    0,
  );
  expect(worst, `greatest difference in ${id}`).toBeLessThan(1e-5);
}
