import { expect, test } from 'vitest';
import { openEngine } from '#encoder/engine/engine.ts';
import type { EngineRequest, ServingEngine } from '#encoder/engine/serving.ts';
import { openServingEngine } from '#encoder/engine/serving-engine.ts';
import { TASKS } from '#encoder/tasks/index.ts';
import { DEFAULT_LIMITS } from '#test/helpers/default-limits.ts';
import { expectClose } from '#test/helpers/close.ts';
import {
  type GoldenResult,
  numbersOfGolden,
  numbersOfResult,
  readGoldenWindows,
  type WindowedResult,
} from '#test/helpers/golden-windows.ts';
import { useWindowedModels } from '#test/helpers/windowed-models.ts';

const golden = readGoldenWindows();
const [SHORT, LONG] = golden.texts;
const windowed = useWindowedModels();

async function serving<T>(
  path: string,
  use: (engine: ServingEngine) => Promise<T>,
  maxWindows = 256,
): Promise<T> {
  const engine = await openServingEngine(path, { limits: { ...DEFAULT_LIMITS, maxWindows } });
  try {
    return await use(engine);
  } finally {
    await engine.close();
  }
}

const VIEW: EngineRequest['view'] = { kind: 'result', format: 'json', options: { normalize: true } };
const LOGITS: EngineRequest['view'] = { kind: 'result', format: 'json', options: {} };

const parse = (bytes: Uint8Array | undefined): WindowedResult =>
  JSON.parse(new TextDecoder().decode(bytes)) as WindowedResult;

const expectGolden = (result: WindowedResult, wanted: GoldenResult): void =>
  expectClose(numbersOfResult(result), numbersOfGolden(wanted), 'a result');

/** Decodes a JSON string with base64-encoded float32 values. */
function decodeVector(json: Uint8Array): number[] {
  const bytes = Uint8Array.from(Buffer.from(JSON.parse(Buffer.from(json).toString()) as string, 'base64'));
  return [...new Float32Array(bytes.buffer)];
}

test.each(golden.cases)(
  'long texts of $model in windows with stride $stride have the same results as an independent implementation',
  async ({ model, stride, results }) => {
    const path = windowed(model, stride);
    const inputs = golden.texts.map((text) => ({ text }));
    const view = model === 'sentence' ? VIEW : LOGITS;
    await serving(path, async (engine) => {
      const answer = await engine.run({ inputs, view });
      for (const [at, wanted] of results.entries()) expectGolden(parse(answer.results[at]), wanted);

      const proto = await engine.run({ inputs, view: { ...view, format: 'proto' } });
      expect(proto.results.map(({ length }) => length > 0)).toEqual([true, true]);

      const vectorView = { kind: 'vector', format: 'base64', normalize: true } as const;
      const vectors = (await engine.run({ inputs, view: vectorView })).results.map(decodeVector);
      expect(vectors[1]?.length).toBeGreaterThan(1);
      for (const [at, wanted] of results.entries()) {
        if (model === 'sentence') expectClose(vectors[at], numbersOfGolden(wanted), 'a vector');
      }
      expect(answer.truncated).toEqual([]);

      if (engine.manifest.modelType !== 'embedding') return;
      const all = await engine.run({ inputs, view: { kind: 'tokens' } });
      // Each token once, and the special tokens at both ends.
      const count = JSON.parse(new TextDecoder().decode(all.results[1])).length;
      expect(count).toBe((results[1]?.length ?? 0) + 2);
    });

    const engine = await openEngine(path, { threads: () => 1, prepack: false });
    try {
      const task = TASKS[engine.manifest.modelType];
      const options = { normalize: model === 'sentence' };
      for (const [at, inference] of (await engine.infer(golden.texts)).entries()) {
        const text = JSON.stringify(task.result(inference, engine.manifest, options), (_, value: unknown) =>
          value instanceof Float32Array ? [...value] : value,
        );
        expectGolden(JSON.parse(text) as WindowedResult, results[at] ?? []);
      }
    } finally {
      await engine.close();
    }
  },
);

test.each(golden.left)(
  'a $model text truncated at its start has the results of its last $windows windows',
  async ({ model, stride, windows, result }) => {
    await serving(
      windowed(model, stride),
      async (engine) => {
        const answer = await engine.run({
          inputs: [{ text: LONG }],
          view: model === 'sentence' ? VIEW : LOGITS,
          overflow: { rule: 'truncate', side: 'left' },
        });
        expect(answer.truncated).toEqual([0]);
        expectGolden(parse(answer.results[0]), result);
      },
      windows,
    );
  },
);

test('a text within the limit has exactly the same result with and without windows', async () => {
  const inputs = [{ text: SHORT }];
  const plain = await serving(windowed('ner'), (engine) => engine.run({ inputs, view: LOGITS }));
  const inWindows = await serving(windowed('ner', 5), (engine) => engine.run({ inputs, view: LOGITS }));
  expect(inWindows.results).toEqual(plain.results);
  expect(inWindows.tokens).toEqual(plain.tokens);
});

test('the tokens of long texts are returned in order, texts above the limit are truncated or rejected, and short texts run in the meantime', async () => {
  await serving(
    windowed('ner', 5),
    async (engine) => {
      const words = Array.from({ length: 200 }, (_, at) => `Paris${at % 7 === 0 ? '.' : ''}`);
      const long = engine.run({ inputs: [{ text: words.join(' ') }], view: LOGITS });
      const short = await engine.run({ inputs: [{ text: 'Berlin' }], view: LOGITS });
      expect(short.results).toHaveLength(1);
      const { tokens = [] } = parse((await long).results[0]);
      const starts = tokens.map(({ token_info: { start } }) => start);
      expect(starts).toEqual([...starts].sort((a, b) => a - b));
      expect(new Set(starts).size).toBe(starts.length);

      const inputs = [{ text: 'short' }, { text: 'Paris '.repeat(3000) }];
      const cut = await engine.run({ inputs, view: LOGITS });
      // 14 tokens in the first window, and 9 more in each of the others.
      expect([cut.truncated, parse(cut.results[1]).tokens?.length]).toEqual([[1], 14 + 99 * 9]);
      await expect(engine.run({ inputs, view: LOGITS, overflow: { rule: 'error' } })).rejects.toThrow(
        'Input 1 is too long: it has more than 100 windows of 16 tokens (--max-windows). Shorten it, or allow truncation in the request.',
      );
      expect(engine.stats().queued).toBe(0);
    },
    100,
  );
});

test('canceling a long text removes its windows from the queue', async () => {
  await serving(windowed('ner', 5), async (engine) => {
    const controller = new AbortController();
    const run = engine.run({
      inputs: [{ text: 'Paris '.repeat(1500) }],
      view: LOGITS,
      signal: controller.signal,
    });
    controller.abort();
    await expect(run).rejects.toThrow('Request canceled.');
    expect(engine.stats().queued).toBe(0);
  });
});
