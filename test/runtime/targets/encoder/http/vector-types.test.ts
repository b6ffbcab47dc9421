import { describe, expect, test } from 'vitest';
import { toIntegers, VECTOR_TYPES, type VectorType } from '#core/vectors/vector-types.ts';
import { texts } from '../sentence-vectors.ts';
import { useApp } from './open-app.ts';

const open = useApp('sentence');

async function vectorsAt(body: object): Promise<unknown[]> {
  const response = await open().post('/v1/embeddings', { input: texts, ...body });
  expect([response.status, body]).toEqual([200, body]);
  const { data } = (await response.json()) as { data: { embedding: unknown }[] };
  return data.map(({ embedding }) => embedding);
}

const floats = async (body: object = {}): Promise<Float32Array[]> =>
  (await vectorsAt(body)).map((vector) => Float32Array.from(vector as number[]));

/** The numbers of a type in the bytes of a base64 string. */
const READ: Record<VectorType, (bytes: Uint8Array<ArrayBuffer>) => number[]> = {
  float: ({ buffer }) => [...new Float32Array(buffer)],
  int8: ({ buffer }) => [...new Int8Array(buffer)],
  uint8: (bytes) => [...bytes],
  binary: ({ buffer }) => [...new Int8Array(buffer)],
  ubinary: (bytes) => [...bytes],
};
const fromBase64 = (text: unknown, type: VectorType): number[] =>
  READ[type](Uint8Array.from(Buffer.from(String(text), 'base64')));

const expected = (vector: Float32Array, type: VectorType): number[] =>
  type === 'float' ? [...vector] : [...toIntegers(vector, type)];
const asType = (vectors: readonly Float32Array[], type: VectorType): number[][] =>
  vectors.map((vector) => expected(vector, type));

describe('POST /v1/embeddings', () => {
  test.each(VECTOR_TYPES)('output_dtype %s has its numbers as lists and as base64', async (type) => {
    const wanted = asType(await floats(), type);
    const lists = await vectorsAt({ output_dtype: type });
    expect(lists.map((list) => [...Float32Array.from(list as number[])])).toEqual(wanted);
    const encoded = await vectorsAt({ output_dtype: type, encoding_format: 'base64' });
    expect(encoded.map((text) => fromBase64(text, type))).toEqual(wanted);
  });

  test.each(VECTOR_TYPES)('embedding_type %s is the same type', async (type) => {
    expect(await vectorsAt({ embedding_type: type })).toEqual(await vectorsAt({ output_dtype: type }));
    expect(await vectorsAt({ embedding_type: type, output_dtype: type })).toHaveLength(texts.length);
  });

  test('embedding_type base64 is base64 of floats', async () => {
    expect(await vectorsAt({ embedding_type: 'base64' })).toEqual(
      await vectorsAt({ encoding_format: 'base64' }),
    );
  });

  test('dimensions are truncated and normalized before the conversion', async () => {
    for (const type of VECTOR_TYPES) {
      for (const name of ['dimensions', 'output_dimension']) {
        const wanted = asType(await floats({ dimensions: 12 }), type);
        const lists = await vectorsAt({ [name]: 12, output_dtype: type });
        expect(lists.map((list) => [...Float32Array.from(list as number[])])).toEqual(wanted);
      }
    }
  });

  test('binary types do not depend on the length of vectors', async () => {
    const body = { output_dtype: 'ubinary' };
    expect(await vectorsAt({ ...body, normalize: false })).toEqual(await vectorsAt(body));
  });

  test.each([
    [{ output_dtype: 'int4' }, 'output_dtype must be one of float, int8, uint8, binary, ubinary, not "int4"'],
    [
      { embedding_type: ['float'] },
      'embedding_type must be one of float, int8, uint8, binary, ubinary, base64, not a list',
    ],
    [
      { output_dtype: 'int8', normalize: false },
      'normalize is false, but int8 requires normalized vectors. Remove normalize, or request float, binary or ubinary.',
    ],
    [
      { output_dtype: 'int8', embedding_type: 'binary' },
      'embedding_type binary and output_dtype int8 are different types. Remove one of them.',
    ],
    [
      { dimensions: 8, output_dimension: 9 },
      'dimensions 8 and output_dimension 9 are different numbers. Remove one of them.',
    ],
    [{ output_dimension: 33 }, 'output_dimension must be at most 32, not 33'],
  ])('rejects %j', async (body, message) => {
    const response = await open().post('/v1/embeddings', { input: 'a', ...body });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ error: { message } });
  });
});

test('GET /model returns the scale of int8', async () => {
  const model = (await (await open().app.request('/model')).json()) as { int8_scale: number };
  const [vector] = await floats();
  const [integers] = await vectorsAt({ output_dtype: 'int8' });
  for (const [at, value] of (integers as number[]).entries())
    expect(Math.abs(value * model.int8_scale - (vector?.[at] ?? 0))).toBeLessThan(model.int8_scale);
});

describe('POST /v2/embed', () => {
  interface Answer {
    readonly id: string;
    readonly embeddings: Readonly<Record<string, unknown[]>>;
    readonly texts: readonly string[];
    readonly meta: { readonly billed_units: { readonly input_tokens: number }; readonly warnings?: string[] };
  }
  const post = async (body: object): Promise<[number, unknown]> => {
    const response = await open().post('/v2/embed', { texts, ...body });
    return [response.status, await response.json()];
  };
  const embed = async (body: object): Promise<Answer> => {
    const [status, answer] = await post(body);
    expect([status, body]).toEqual([200, body]);
    return answer as Answer;
  };

  test('returns floats by default, in the format of Cohere', async () => {
    const answer = await embed({ model: 'any', input_type: null });
    expect(Object.keys(answer)).toEqual(['id', 'embeddings', 'texts', 'meta', 'response_type']);
    expect(answer).toMatchObject({
      id: expect.stringMatching(/./),
      texts,
      meta: { api_version: { version: '2' } },
      response_type: 'embeddings_by_type',
    });
    expect(answer.embeddings).toEqual({ float: await vectorsAt({}) });
    expect(answer.meta.billed_units.input_tokens).toBeGreaterThan(texts.length * 2);
  });

  test('returns all requested types once, in the order of the request', async () => {
    const names = ['ubinary', 'base64', 'float', 'uint8', 'binary', 'int8', 'float'];
    const { embeddings } = await embed({ embedding_types: names, output_dimension: 12 });
    expect(Object.keys(embeddings)).toEqual([...new Set(names)]);
    const vectors = await floats({ dimensions: 12 });
    for (const type of VECTOR_TYPES) {
      const lists = embeddings[type]?.map((list) => [...Float32Array.from(list as number[])]);
      expect([type, lists]).toEqual([type, asType(vectors, type)]);
    }
    expect(embeddings['base64']?.map((text) => fromBase64(text, 'float'))).toEqual(asType(vectors, 'float'));
  });

  test('input_type selects the prompt of the model', async () => {
    const floatsOf = async (body: object): Promise<unknown> => (await embed(body)).embeddings['float'];
    expect(await floatsOf({ input_type: 'search_query' })).toEqual(await vectorsAt({ prompt_name: 'query' }));
    expect(await floatsOf({ input_type: 'search_document' })).toEqual(
      await vectorsAt({ prompt_name: 'passage' }),
    );
    expect(await floatsOf({ input_type: 'clustering' })).toEqual(await vectorsAt({}));
  });

  test('max_tokens and truncate shorten texts', async () => {
    const long = 'the dog of the hotel was good';
    const one = async (body: object): Promise<unknown> =>
      (await embed({ texts: [long], ...body })).embeddings['float'];
    expect(await one({ max_tokens: 2 })).toEqual(await vectorsAt({ input: 'the dog' }));
    expect(await one({ max_tokens: 2, truncate: 'END' })).toEqual(await vectorsAt({ input: 'the dog' }));
    expect(await one({ max_tokens: 2, truncate: 'START' })).toEqual(await vectorsAt({ input: 'was good' }));
    expect(await one({ max_tokens: 9999 })).toEqual(await vectorsAt({ input: long }));
    expect(await post({ texts: ['a', long], max_tokens: 2, truncate: 'NONE' })).toEqual([
      422,
      {
        message:
          'texts/1 has more than 2 tokens, the max_tokens of the request. Shorten it, or set truncate to START or END.',
      },
    ]);
    const tooLong = `${'dog '.repeat(70)}good`;
    const { meta } = await embed({ texts: ['a', tooLong] });
    expect(meta.warnings).toEqual(['1 of 2 texts was truncated: a text can have at most 64 tokens.']);
    const end = await embed({ texts: [tooLong], max_tokens: 1, truncate: 'START' });
    expect(end.embeddings['float']).toEqual(await vectorsAt({ input: 'good' }));
    expect((await post({ texts: [tooLong], truncate: 'NONE' }))[0]).toBe(422);
  });

  test.each([
    [{ texts: [] }, 'Cannot tokenize empty string'],
    [{ texts: ['a', ''] }, 'Cannot tokenize empty string'],
    [{ texts: undefined }, 'texts is missing'],
    [{ texts: 'a' }, 'texts must be a list of texts, not "a"'],
    [{ embedding_types: [] }, 'embedding_types must not be empty'],
    [
      { embedding_types: 'float' },
      'embedding_types must be a list of float, int8, uint8, binary, ubinary, base64, not "float"',
    ],
    [
      { embedding_types: ['float', 'int4'] },
      'embedding_types/1 must be one of float, int8, uint8, binary, ubinary, base64, not "int4"',
    ],
    [
      { input_type: 'query' },
      'input_type must be one of search_query, search_document, classification, clustering, not "query"',
    ],
    [{ output_dimension: 0 }, 'output_dimension must be at least 1, not 0'],
    [{ output_dimension: 33 }, 'output_dimension must be at most 32, not 33'],
    [{ max_tokens: 0 }, 'max_tokens must be at least 1, not 0'],
    [{ max_tokens: 1.5 }, 'max_tokens must be a whole number, not 1.5'],
  ])('rejects %j in the format of Cohere', async (body, message) => {
    expect(await post(body)).toEqual([422, { message }]);
  });

  test('a list with a million types is accepted or rejected quickly', async () => {
    const names = Array.from({ length: 500_000 }, () => 'int8');
    expect(Object.keys((await embed({ embedding_types: names })).embeddings)).toEqual(['int8']);
    const [status] = await post({ embedding_types: [...names, 'nope'] });
    expect(status).toBe(422);
  });
});
