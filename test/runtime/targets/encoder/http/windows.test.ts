import { expect, test } from 'vitest';
import { toIntegers, VECTOR_TYPES } from '#core/vectors/vector-types.ts';
import { openServingEngine } from '#encoder/engine/serving-engine.ts';
import { expectClose } from '#test/helpers/close.ts';
import { DEFAULT_LIMITS } from '#test/helpers/default-limits.ts';
import type { Entity } from '#test/helpers/golden-entities.ts';
import { readGoldenWindows } from '#test/helpers/golden-windows.ts';
import { useWindowedModels } from '#test/helpers/windowed-models.ts';
import { appAround, type OpenApp } from './open-app.ts';

const golden = readGoldenWindows();
const [, LONG] = golden.texts;
const windowed = useWindowedModels();

interface Token {
  readonly id: number;
  readonly special: boolean;
  readonly start: number | null;
  readonly end: number | null;
}

/** An app with a windowed model, for one test. */
async function appWith<T>(
  model: string,
  { stride, maxWindows = 256 }: { stride?: number; maxWindows?: number },
  use: (app: OpenApp) => Promise<T>,
): Promise<T> {
  const limits = { ...DEFAULT_LIMITS, maxWindows };
  const app = appAround(await openServingEngine(windowed(model, stride), { limits, workers: 1, threads: 1 }));
  try {
    return await use(app);
  } finally {
    await app.close();
  }
}

test.each(golden.entities)(
  'POST /predict returns the same entities as transformers across window boundaries with stride $stride',
  async ({ stride, cases }) => {
    expect(cases.some(({ overBorders }) => overBorders > 0)).toBe(true);
    await appWith('ner', { stride }, async (app) => {
      const inputs = cases.map(({ text }) => text);
      for (const aggregation of ['simple', 'first', 'average', 'max']) {
        const response = await app.post('/predict', { inputs, aggregation });
        expect(response.status, await response.clone().text()).toBe(200);
        expect(response.headers.get('x-truncated-inputs')).toBe('0');
        const { results } = (await response.json()) as { results: { entities: Entity[] }[] };
        for (const [at, { groups }] of cases.entries()) {
          const expected = groups[aggregation] ?? [];
          const entities = results[at]?.entities ?? [];
          expect(entities.map((one) => [one.entity_group, one.start, one.end, one.word])).toEqual(
            expected.map(([group, , start, end, word]) => [group, start, end, word]),
          );
          expectClose(
            entities.map(({ score }) => score),
            expected.map(([, score]) => score),
            'scores',
          );
        }
      }
    });
  },
);

test('entities of a truncated text match the windows that were read', async () => {
  const text = golden.entities[0]?.cases.at(-1)?.text ?? '';
  const read = (options: { stride?: number; maxWindows?: number }): Promise<[number, string | null]> =>
    appWith('ner', options, async (app) => {
      const response = await app.post('/predict', { inputs: [text], aggregation: 'simple' });
      const { results } = (await response.json()) as { results: { entities: Entity[] }[] };
      const ends = results[0]?.entities.map(({ end }) => end) ?? [];
      return [Math.max(0, ...ends), response.headers.get('x-truncated-inputs')];
    });
  expect(await read({ stride: 5 })).toEqual([text.length, '0']);
  const [end, isTruncated] = await read({ stride: 5, maxWindows: 2 });
  expect(isTruncated).toBe('1');
  expect(end).toBeLessThan(text.length);
  expect((await read({}))[1]).toBe('1');
});

test('vectors of long texts have all types, and late chunking requires a text without windows', async () => {
  const [text, long] = golden.texts;
  await appWith('embedder', { stride: 5 }, async (app) => {
    const post = async (path: string, body: object): Promise<unknown> => (await app.post(path, body)).json();
    const embed = async (body: object): Promise<Record<string, unknown[]>> =>
      (
        (await post('/v2/embed', { texts: [text, long], ...body })) as {
          embeddings: Record<string, unknown[]>;
        }
      ).embeddings;
    const found = await embed({ embedding_types: [...VECTOR_TYPES] });
    for (const type of ['int8', 'uint8', 'binary', 'ubinary'] as const) {
      const wanted = found['float']?.map((vector) => [
        ...toIntegers(Float32Array.from(vector as number[]), type),
      ]);
      expect([type, found[type]]).toEqual([type, wanted]);
    }
    const cut = (maximum: number) => embed({ texts: [long], max_tokens: maximum });
    // A window has 14 tokens of the text.
    expect(await cut(20)).not.toEqual(await embed({ texts: [long] }));
    expect(await cut(20)).not.toEqual(await cut(21));
    expect(await cut(1000)).toEqual(await embed({ texts: [long] }));
    expect(await post('/v1/embeddings', { input: [text, long], late_chunking: true })).toMatchObject({
      error: {
        message: expect.stringMatching(/^The inputs are too long for late_chunking: .*than 16 tokens/),
      },
    });
    const late = await post('/v1/embeddings', { input: text, late_chunking: true });
    expect(late).toMatchObject({ data: [{ index: 0 }] });
  });
});

test('POST /tokenize returns each token of the windows once, with offsets in the whole text', async () => {
  const { results = [] } = golden.cases.find(({ model, stride }) => model === 'ner' && stride === 5) ?? {};
  await appWith('ner', { stride: 5 }, async (app) => {
    const response = await app.post('/tokenize', { inputs: [...golden.texts] });
    const lists = (await response.json()) as {
      id: number;
      start: number | null;
      end: number | null;
      special: boolean;
    }[][];
    for (const [at, wanted] of results.entries()) {
      const tokens = lists[at] ?? [];
      const [first, last] = [tokens[0], tokens.at(-1)];
      expect([first?.special, last?.special]).toEqual([true, true]);
      expect(tokens.slice(1, -1).map(({ id, start, end }) => ({ id, start, end }))).toEqual(
        wanted.map((token) =>
          typeof token === 'number' ? token : { id: token.id, start: token.start, end: token.end },
        ),
      );
    }
    const plain = await app.post('/tokenize', { inputs: [LONG], add_special_tokens: false });
    const [tokens = []] = (await plain.json()) as Token[][];
    expect(tokens).toHaveLength(results[1]?.length ?? NaN);
  });
  await appWith('ner', { stride: 5, maxWindows: 2 }, async (app) => {
    const [tokens] = (await (await app.post('/tokenize', { inputs: [LONG] })).json()) as Token[][];
    // 14 tokens of the text in the first window, 9 more in the second one, and two special tokens.
    expect(tokens).toHaveLength(14 + 9 + 2);
  });
});
