import { AuthenticationError, NotFoundError, OpenAI, UnprocessableEntityError } from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HttpListener, listenHttp } from '#serve/http/listen.ts';
import { embeddingsResponse } from '#encoder/schemas/openai.ts';
import { largestDifference, TOLERANCE } from '#test/helpers/close.ts';
import { readGolden } from '#test/helpers/golden.ts';
import { expectToMatch } from './matches.ts';
import { openApp, type OpenApp } from './open-app.ts';

let open: OpenApp | undefined;
const opened = (): OpenApp => open ?? expect.unreachable();
let listener: HttpListener | undefined;
let client = new OpenAI({ apiKey: 'none' });
const connect = (apiKey: string): OpenAI =>
  new OpenAI({ apiKey, baseURL: `http://127.0.0.1:${listener?.port}/v1`, maxRetries: 0 });

beforeAll(async () => {
  open = await openApp('embedder', { apiKeys: ['key'] });
  listener = await listenHttp({ app: open.app, hostname: '127.0.0.1', port: 0, portFlag: '--http-port' });
  client = connect('key');
});
afterAll(async () => {
  await listener?.close(1000);
  await open?.close();
});

/** The L2-normalized mean over all tokens. */
function expectedVector(embeddings: readonly (readonly number[])[], normalize = true): number[] {
  const [first = []] = embeddings;
  const mean = first.map(
    (_, at) => embeddings.reduce((sum, row) => sum + (row[at] ?? 0), 0) / embeddings.length,
  );
  const length = normalize ? Math.hypot(...mean) : 1;
  return mean.map((value) => value / length);
}
const golden = readGolden('embedder').slice(0, 12);
const texts = golden.map(({ text }) => text);
const model = 'text-embedding-3-small';

describe('with the OpenAI client', () => {
  test.each(['float', 'base64'] as const)(
    'vectors as %s match those of other libraries',
    async (encoding_format) => {
      const answer = await client.embeddings.create({ model, input: texts, encoding_format });
      expect(answer).toMatchObject({ object: 'list', model: 'embedder' });
      const count = golden.reduce((sum, { input_ids }) => sum + input_ids.length, 0);
      expect(answer.usage).toEqual({ prompt_tokens: count, total_tokens: count });
      expect(answer.data.map(({ index, object }) => [index, object])).toEqual(
        golden.map((_, at) => [at, 'embedding']),
      );
      for (const [at, { embedding }] of answer.data.entries()) {
        // If the client is configured to return base64, vectors stay base64.
        const vector =
          typeof embedding === 'string'
            ? new Float32Array(Uint8Array.from(Buffer.from(embedding, 'base64')).buffer)
            : embedding;
        expect(largestDifference([...vector], expectedVector(golden[at]?.embeddings ?? []))).toBeLessThan(
          TOLERANCE,
        );
      }
    },
  );

  test('vectors without encoding_format, which defaults to base64 in the client', async () => {
    const { data } = await client.embeddings.create({ model, input: texts[0] ?? '' });
    expect(data.length).toBe(1);
    expect(largestDifference(data[0]?.embedding, expectedVector(golden[0]?.embeddings ?? []))).toBeLessThan(
      TOLERANCE,
    );
  });

  test('token IDs return the same vector as their text', async () => {
    const ids = golden.map(({ input_ids }) => input_ids);
    const byText = await client.embeddings.create({ model, input: texts });
    const byIds = await client.embeddings.create({ model, input: ids });
    const one = await client.embeddings.create({ model, input: ids[0] ?? [] });
    for (const [at, { embedding }] of byText.data.entries())
      expect(largestDifference(byIds.data[at]?.embedding, embedding)).toBeLessThan(TOLERANCE);
    expect(largestDifference(one.data[0]?.embedding, byText.data[0]?.embedding ?? [])).toBeLessThan(
      TOLERANCE,
    );
  });

  test('dimensions truncate the vector and normalize it again', async () => {
    const { data } = await client.embeddings.create({ model, input: texts[0] ?? '', dimensions: 8 });
    const first = expectedVector(golden[0]?.embeddings ?? [], false).slice(0, 8);
    expect(
      largestDifference(
        data[0]?.embedding,
        first.map((value) => value / Math.hypot(...first)),
      ),
    ).toBeLessThan(TOLERANCE);
  });

  test('models', async () => {
    const { data } = await client.models.list();
    expect(data).toMatchObject([{ id: 'embedder', object: 'model', owned_by: 'encoderfile' }]);
    expect(await client.models.retrieve('embedder')).toEqual(data[0]);
    const unknown = client.models.retrieve('a/b c');
    await expect(unknown).rejects.toBeInstanceOf(NotFoundError);
    await expect(unknown).rejects.toMatchObject({
      error: { message: 'Model not found: "a/b c". This server only serves "embedder".' },
    });
  });

  test('errors have the types that the client expects', async () => {
    await expect(connect('other').models.list()).rejects.toBeInstanceOf(AuthenticationError);
    const refused = client.embeddings.create({ model, input: [] });
    await expect(refused).rejects.toBeInstanceOf(UnprocessableEntityError);
    await expect(refused).rejects.toMatchObject({
      status: 422,
      type: 'invalid_request_error',
      error: { message: 'Cannot tokenize empty string' },
    });
  });
});

describe('POST /v1/embeddings', () => {
  const post = async (body: unknown): Promise<[number, unknown]> => {
    const headers = { 'Content-Type': 'application/json', Authorization: 'Bearer key' };
    const response = await opened().post('/v1/embeddings', body, { headers });
    return [response.status, await response.json()];
  };

  test('ignores unknown keys, and accepts null for omitted values', async () => {
    const body = {
      input: 'a',
      user: null,
      dimensions: null,
      encoding_format: null,
      model: null,
      store: true,
    };
    const [status, answer] = await post(body);
    expect(status).toBe(200);
    expectToMatch(answer, embeddingsResponse);
  });

  test('normalize: false returns unnormalized vectors', async () => {
    const [, answer] = await post({ input: texts[0], normalize: false });
    const [first] = (answer as { data: { embedding: number[] }[] }).data;
    expect(
      largestDifference(first?.embedding, expectedVector(golden[0]?.embeddings ?? [], false)),
    ).toBeLessThan(TOLERANCE);
  });

  test.each([
    [{}, 'input is missing'],
    [
      { input: null },
      'input must be text, a list of texts, a list of token ids, or a list of lists of token ids, not null',
    ],
    [{ input: '' }, 'Cannot tokenize empty string'],
    [{ input: ['a', ''] }, 'Cannot tokenize empty string'],
    [{ input: [[]] }, 'Cannot tokenize empty string'],
    [{ input: ['a', 2] }, 'input/1 must be text, not 2'],
    [{ input: [1, 'a'] }, 'input/1 must be a whole number, not "a"'],
    [{ input: [1, -1] }, 'input/1 must be at least 0, not -1'],
    [{ input: [[1], 'a'] }, 'input/1 must be a list of token ids, not "a"'],
    [{ input: [[0.5]] }, 'input/0/0 must be a whole number, not 0.5'],
    [{ input: 'a', dimensions: 33 }, 'dimensions must be at most 32, not 33'],
    [{ input: 'a', encoding_format: 'hex' }, 'encoding_format must be one of float, base64, not "hex"'],
  ])('%j is rejected', async (body, message) => {
    const error = { message, type: 'invalid_request_error', param: null, code: null };
    expect(await post(body)).toEqual([422, { error }]);
  });

  test('an unknown token ID is rejected', async () => {
    const [status, answer] = await post({ input: [5, 1_000_000] });
    expect(status).toBe(422);
    expect(answer).toMatchObject({
      error: { message: expect.stringMatching(/^input\/1 must be at most \d+/) },
    });
  });
});
