import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toIntegers } from '#core/vectors/vector-types.ts';
import { normalizeL2 } from '#encoder/math/inference.ts';
import { expectClose } from '#test/helpers/close.ts';
import { readGoldenLateChunks } from '#test/helpers/golden-late-chunks.ts';
import { FIXTURES } from '#test/helpers/paths.ts';
import { openApp, type OpenApp, useApp } from './open-app.ts';

const cases = readGoldenLateChunks();

interface Answer {
  readonly data: readonly { readonly index: number; readonly embedding: number[] | string }[];
  readonly usage: { readonly prompt_tokens: number };
  readonly error?: { readonly message: string };
}
const post = async (open: OpenApp, body: object): Promise<[number, Answer]> => {
  const response = await open.post('/v1/embeddings', { late_chunking: true, ...body });
  return [response.status, (await response.json()) as Answer];
};

describe('late_chunking of a model with mean pooling', () => {
  const open = useApp('sentence');
  const embed = async (body: object): Promise<Answer> => {
    const [status, answer] = await post(open(), body);
    expect([status, body]).toEqual([200, body]);
    return answer;
  };

  test('vectors match the mean of onnxruntime’s token vectors', async () => {
    for (const { prompt, parts, vectors } of cases) {
      const { data } = await embed({ input: parts, prompt, normalize: false });
      expect(data.map(({ index }) => index)).toEqual(parts.map((_, index) => index));
      for (const [at, vector] of vectors.entries())
        expectClose(data[at]?.embedding as number[], vector, parts[at] ?? '');
      const unit = await embed({ input: parts, prompt });
      for (const [at, vector] of vectors.entries()) {
        const expected = [...normalizeL2(Float32Array.from(vector))];
        expectClose(unit.data[at]?.embedding as number[], expected, parts[at] ?? '');
      }
    }
  });

  test('the vectors of parts depend on the rest of the text, and the tokens are counted once', async () => {
    const input = cases[0]?.parts ?? [];
    const { data, usage } = await embed({ input });
    const response = await open().post('/v1/embeddings', { input: input.join('') });
    const whole = (await response.json()) as Answer;
    expect(usage.prompt_tokens).toBe(whole.usage.prompt_tokens);
    const [alone] = (await embed({ input: input.slice(0, 1) })).data;
    expect(alone?.embedding).not.toEqual(data[0]?.embedding);
  });

  test('types, dimensions and a single text work as without late_chunking', async () => {
    const input = cases[0]?.parts ?? [];
    const floats = await embed({ input, dimensions: 12 });
    const bits = await embed({ input, dimensions: 12, output_dtype: 'ubinary' });
    const base64 = await embed({ input, dimensions: 12, encoding_format: 'base64' });
    for (const [at, { embedding }] of floats.data.entries()) {
      const vector = Float32Array.from(embedding as number[]);
      expect(bits.data[at]?.embedding).toEqual([...toIntegers(vector, 'ubinary')]);
      const bytes = Buffer.from(String(base64.data[at]?.embedding), 'base64');
      expect(new Float32Array(Uint8Array.from(bytes).buffer)).toEqual(vector);
    }
    const [text] = (await embed({ input: input.join('') })).data;
    expect(text?.embedding).toEqual((await embed({ input: [input.join('')] })).data[0]?.embedding);
  });

  test('a prompt name applies to the whole text', async () => {
    const input = cases.at(-1)?.parts;
    const [byName, byText] = [
      await embed({ input, prompt_name: 'query' }),
      await embed({ input, prompt: 'search for: ' }),
    ];
    expect(byName).toEqual(byText);
  });

  test.each([
    [
      'long parts',
      { input: Array.from({ length: 40 }, () => 'the dog ') },
      "The inputs are too long for late_chunking: together they have more than 64 tokens, this model's maximum. Send fewer parts per request.",
    ],
    [
      'a part without tokens',
      { input: ['a', ' ', 'b'] },
      'input/1 has no tokens, so it has no vector of its own with late_chunking. Join it with the part before or after it.',
    ],
    ['an empty part', { input: ['a', ''] }, 'Cannot tokenize empty string'],
    ['no parts', { input: [] }, 'Cannot tokenize empty string'],
    [
      'token ids',
      { input: [[2, 51, 3]] },
      'late_chunking requires text inputs, but the input contains token ids. Send the texts of the parts.',
    ],
    ['another type', { input: 'a', late_chunking: 'yes' }, 'late_chunking must be true or false, not "yes"'],
    [
      'too many characters',
      { input: ['a '.repeat(100_000), 'b '.repeat(100_000)] },
      'Input 0 is too long: it has 400000 characters, but the maximum is 200000 (--max-input-chars). Split it into shorter inputs.',
    ],
    [
      'too many parts',
      { input: Array.from({ length: 100_000 }, () => 'a') },
      'Too many inputs: the request has 100000, but the maximum is 2048 (--max-client-batch). Split it into several requests.',
    ],
  ])('rejects %s', async (_, body, message) => {
    const [status, { error }] = await post(open(), body);
    expect([status, error?.message]).toEqual([422, message]);
  });
});

test.each(readdirSync(join(FIXTURES, 'models')))(
  '%s documents late_chunking if it supports it, and otherwise states why not',
  async (model) => {
    const open = await openApp(model);
    try {
      const plain = await open.post('/v1/embeddings', { input: 'a dog', late_chunking: false });
      if (plain.status === 404) return;
      const document = await (await open.app.request('/openapi.json')).text();
      const [status, { error }] = await post(open, { input: 'a dog' });
      const reason = expect.stringMatching(
        /^late_chunking requires mean pooling of token vectors, but /,
      ) as string;
      expect([status, error?.message]).toEqual(
        document.includes('late_chunking') ? [200, undefined] : [422, reason],
      );
    } finally {
      await open.close();
    }
  },
);
