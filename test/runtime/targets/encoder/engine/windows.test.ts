import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseManifest } from '../../../../../runtime/core/model/manifest-json.ts';
import { openEngine } from '../../../../../runtime/targets/encoder/engine/engine.ts';
import type { EngineRequest, ServingEngine } from '../../../../../runtime/targets/encoder/engine/serving.ts';
import { openServingEngine } from '../../../../../runtime/targets/encoder/engine/serving-engine.ts';
import { TASKS } from '../../../../../runtime/targets/encoder/tasks/index.ts';
import { builtAssets } from '../../../../helpers/built.ts';
import { DEFAULT_LIMITS } from '../../../../helpers/default-limits.ts';
import { FIXTURES } from '../../../../helpers/paths.ts';
import { appAround } from '../http/open-app.ts';
import { useTempFolder } from '../../../../helpers/temp-folder.ts';

interface GoldenToken {
  readonly id: number;
  readonly start: number;
  readonly end: number;
  readonly values: readonly number[];
}

interface Golden {
  readonly maxLength: number;
  readonly texts: readonly string[];
  readonly cases: readonly {
    readonly model: string;
    readonly stride: number;
    readonly results: readonly (readonly (GoldenToken | number)[])[];
  }[];
}

interface TokenResult {
  readonly token_info: { readonly token_id: number; readonly start: number; readonly end: number };
  readonly logits?: readonly number[];
  readonly embedding?: readonly number[];
}

type Result = Readonly<Record<string, readonly (TokenResult | number)[]>>;

const golden = JSON.parse(readFileSync(join(FIXTURES, 'golden/windows.json'), 'utf8')) as Golden;
const folder = useTempFolder();

/** The fixture model with a small maximum length, and windows if there is a stride. */
function windowed(model: string, stride?: number): string {
  const path = join(folder(), `${model}-${stride}`);
  cpSync(builtAssets(model), path, { recursive: true });
  const manifest = parseManifest(readFileSync(join(path, 'manifest.json')));
  const tokenizer = { ...manifest.tokenizer, maxLength: golden.maxLength };
  const windows = stride === undefined ? {} : { windows: { stride } };
  writeFileSync(join(path, 'manifest.json'), JSON.stringify({ ...manifest, ...windows, tokenizer }));
  return path;
}

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

const parse = (bytes: Uint8Array | undefined): Result =>
  JSON.parse(new TextDecoder().decode(bytes)) as Result;

/** A token's id and offsets, and the numbers of a result, in one list. */
const flatGolden = (value: GoldenToken | number): number[] =>
  typeof value === 'number' ? [value] : [value.id, value.start, value.end, ...value.values];

function flatResult(value: TokenResult | number): number[] {
  if (typeof value === 'number') return [value];
  const { token_id, start, end } = value.token_info;
  return [token_id, start, end, ...(value.logits ?? value.embedding ?? [])];
}

function expectGolden(result: Result, wanted: readonly (GoldenToken | number)[]): void {
  const [values = []] = Object.values(result);
  expect(values).toHaveLength(wanted.length);
  const actual = values.flatMap(flatResult);
  for (const [at, number] of wanted.flatMap(flatGolden).entries()) expect(actual[at]).toBeCloseTo(number, 4);
}

test.each(golden.cases)(
  'long texts of $model in windows with stride $stride have the results of an independent implementation',
  async ({ model, stride, results }) => {
    const path = windowed(model, stride);
    const inputs = golden.texts.map((text) => ({ text }));
    const view = model === 'sentence' ? VIEW : LOGITS;
    await serving(path, async (engine) => {
      const answer = await engine.run({ inputs, view });
      for (const [at, wanted] of results.entries()) expectGolden(parse(answer.results[at]), wanted);

      const proto = await engine.run({ inputs, view: { ...view, format: 'proto' } });
      expect(proto.results.map(({ length }) => length > 0)).toEqual([true, true]);

      const vector = await engine.run({
        inputs,
        view: { kind: 'vector', format: 'base64', normalize: true },
      });
      expect(vector.results[1]?.length).toBeGreaterThan(40);
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
        expectGolden(JSON.parse(text) as Result, results[at] ?? []);
      }
    } finally {
      await engine.close();
    }
  },
);

test('a text within the limit has the same bytes with and without windows', async () => {
  const inputs = [{ text: golden.texts[0] ?? '' }];
  const plain = await serving(windowed('ner'), (engine) => engine.run({ inputs, view: LOGITS }));
  const inWindows = await serving(windowed('ner', 5), (engine) => engine.run({ inputs, view: LOGITS }));
  expect(inWindows.results).toEqual(plain.results);
  expect(inWindows.tokens).toEqual(plain.tokens);
});

test('a very long text is answered in order, a longer one is truncated or refused, and short texts are answered meanwhile', async () => {
  await serving(
    windowed('ner', 5),
    async (engine) => {
      const words = Array.from({ length: 200 }, (_, at) => `Paris${at % 7 === 0 ? '.' : ''}`);
      const long = engine.run({ inputs: [{ text: words.join(' ') }], view: LOGITS });
      const short = await engine.run({ inputs: [{ text: 'Berlin' }], view: LOGITS });
      expect(short.results).toHaveLength(1);
      const { tokens = [] } = parse((await long).results[0]);
      const starts = tokens.map((token) => (typeof token === 'object' ? token.token_info.start : -1));
      expect(starts).toEqual([...starts].sort((a, b) => a - b));
      expect(new Set(starts).size).toBe(starts.length);

      const inputs = [{ text: 'short' }, { text: 'Paris '.repeat(3000) }];
      const cut = await engine.run({ inputs, view: LOGITS });
      // 14 tokens in the first window, and 9 more in each of the others.
      expect([cut.truncated, parse(cut.results[1])['tokens']?.length]).toEqual([[1], 14 + 99 * 9]);
      await expect(engine.run({ inputs, view: LOGITS, overflow: { rule: 'error' } })).rejects.toThrow(
        'Input 1 is too long: it has more than 100 windows of 16 tokens (--max-windows). Shorten it, or allow truncation in the request.',
      );
      expect(engine.stats().queued).toBe(0);
    },
    100,
  );
});

test('cancelling a long text removes its windows', async () => {
  await serving(windowed('ner', 5), async (engine) => {
    const controller = new AbortController();
    const run = engine.run({
      inputs: [{ text: 'Paris '.repeat(1500) }],
      view: LOGITS,
      signal: controller.signal,
    });
    controller.abort();
    await expect(run).rejects.toThrow('Request cancelled.');
    expect(engine.stats().queued).toBe(0);
  });
});

test('POST /predict returns entities over the borders of windows, with offsets of the whole text', async () => {
  const text = `${'and then '.repeat(8)}Maria Schmidt from Berlin met John Smith`;
  const entities = async (stride?: number, maxWindows = 256): Promise<[object[], string | null]> => {
    const engine = await openServingEngine(windowed('ner', stride), {
      limits: { ...DEFAULT_LIMITS, maxWindows },
    });
    const opened = appAround(engine);
    try {
      const response = await opened.post('/predict', { inputs: [text], aggregation: 'simple' });
      expect(response.status, await response.clone().text()).toBe(200);
      const { results } = (await response.json()) as { results: { entities: { end: number }[] }[] };
      return [results[0]?.entities ?? [], response.headers.get('x-truncated-inputs')];
    } finally {
      await opened.close();
    }
  };
  const [whole, isCut] = await entities(12);
  expect(isCut).toBe('0');
  const ends = whole.map((entity) => (entity as { end: number }).end);
  expect(Math.max(...ends)).toBeGreaterThan(100);
  expect(ends).toEqual(ends.toSorted((a, b) => a - b));
  expect((await entities(12, 2))[1]).toBe('1');
  expect((await entities())[1]).toBe('1');
});
