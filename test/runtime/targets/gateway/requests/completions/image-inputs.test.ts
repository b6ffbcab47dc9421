import { afterAll, expect, test } from 'vitest';
import { compileLinearPattern } from '#platform/linear-pattern.ts';
import { CACHE_DEFAULTS } from '#gateway/requests/cache/cache-settings.ts';
import { builtExecutable } from '#test/helpers/built.ts';
import { expectClose } from '#test/helpers/close.ts';
import { SHAPES } from '#test/helpers/golden-shapes.ts';
import { startFixture } from '../../fixture-provider.ts';
import { errorIn } from './fixture-gateway.ts';
import { instanceOf, priced, runGateway } from './running-gateway.ts';

const EMBEDDINGS = '/v1/embeddings';
const openai = await startFixture('openai');
const encoderOf = (name: string) => ({ name, type: 'encoder', path: builtExecutable(name) }) as const;
const pattern = compileLinearPattern;
const gateway = await runGateway({
  models: {
    providers: [
      instanceOf('openai', openai),
      encoderOf('patches'),
      encoderOf('shapes'),
      encoderOf('embedder'),
    ],
    pricing: [priced('encoder:patches', 1, 0), priced('encoder:shapes', 1, 0)],
    allowUnpriced: true,
    cache: { ...CACHE_DEFAULTS, scope: 'key' },
    guardrails: {
      // Each image contains the first letters of the base64 of its format.
      profiles: [
        {
          name: 'letters',
          kind: 'patterns',
          patterns: new Map([['B64', pattern('iVBOR|R0lG|/9j/|UklG')]]),
          action: 'mask',
        },
        { name: 'names', kind: 'patterns', patterns: new Map([['NAME', pattern('Anna')]]), action: 'mask' },
      ],
      demanded: ['letters', 'names'].map((profile) => ({
        profile,
        mode: 'block' as const,
        on: ['input' as const],
        onUnavailable: 'block' as const,
      })),
    },
    prompts: { isDefault: true, maxCharacters: 10_000, patterns: [] },
  },
});
afterAll(() => gateway.stop());
let users = 0;
async function someone(key: Readonly<Record<string, unknown>> = {}) {
  const userId = `user-${(users += 1)}`;
  await gateway.user(userId);
  return { userId, secret: await gateway.key({ user_id: userId, ...key }) };
}
const embed = (secret: string, input: unknown, model = 'encoder:patches'): Promise<Response> =>
  gateway.post(EMBEDDINGS, { model, input }, secret);
const normalized = (vector: readonly number[]): number[] => {
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
};
/** A GIF file of one pixel. */
const PIXEL = 'R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==';
interface Vectors {
  readonly data: readonly { readonly embedding: readonly number[] }[];
  readonly usage: { readonly prompt_tokens: number };
}

test('images are embedded in each form, and billed with the usage that the encoder reports', async () => {
  const { userId, secret } = await someone();
  for (const form of [
    (data: string): unknown => `data:image/png;base64,${data}`,
    (data: string): unknown => data,
    (data: string): unknown => ({ image: data }),
    (data: string): unknown => ({ image: `data:;base64,${data}` }),
  ]) {
    const answer = await embed(
      secret,
      SHAPES.map(({ base64 }) => form(base64)),
    );
    const { data, usage } = (await answer.json()) as Vectors;
    for (const [at, { patches, name }] of SHAPES.entries())
      expectClose(data[at]?.embedding, normalized(patches), name);
    // Seven patches per image.
    expect([answer.status, usage.prompt_tokens]).toEqual([200, SHAPES.length * 7]);
  }
  const [{ base64 } = { base64: '' }] = SHAPES;
  const single = (await (await embed(secret, `data:image/png;base64,${base64}`)).json()) as Vectors;
  expect(single.usage.prompt_tokens).toBe(7);
  const rows = await gateway.usage(userId);
  expect(rows.map(({ prompt_tokens: tokens, cost }) => [tokens, cost])).toEqual(
    [28, 28, 28, 28, 7].map((tokens) => [tokens, tokens / 1_000_000]),
  );
});

test('an image classifier classifies images, as strings and as objects', async () => {
  const { userId, secret } = await someone();
  const input = SHAPES.flatMap(({ base64 }) => [base64, { image: base64 }]);
  const answer = await gateway.post('/v1/classify', { model: 'encoder:shapes', input }, secret);
  const { data, usage } = (await answer.json()) as { data: { label: string }[]; usage: object };
  expect(data.map(({ label }) => label)).toEqual(SHAPES.flatMap(({ label }) => [label, label]));
  expect(usage).toEqual({ prompt_tokens: 8 * 4, total_tokens: 8 * 4 });
  expect(await gateway.usage(userId)).toMatchObject([{ prompt_tokens: 8 * 4, status: 'success' }]);
});

test('guardrails mask the texts next to images and leave the images unchanged', async () => {
  const { secret } = await someone();
  const [{ base64 } = { base64: '' }] = SHAPES;
  const answer = await embed(secret, ['Anna', base64, { text: 'Anna' }, { image: base64 }], 'openai:good');
  expect(answer.status).toBe(200);
  const sent = JSON.parse((await openai.last()).body) as { input: unknown };
  expect(sent.input).toEqual(['[NAME_1]', base64, { text: '[NAME_1]' }, { image: base64 }]);
});

test('prompts are stored without the data of images', async () => {
  const { userId, secret } = await someone();
  const [{ base64 } = { base64: '' }] = SHAPES;
  const large = Buffer.concat([Buffer.from(base64, 'base64'), Buffer.alloc(400)]).toString('base64');
  const input = [`data:image/png;base64,${base64}`, { image: large.replaceAll(/.{76}/g, '$&\r\n') }];
  const requestId = `images-of-${userId}`;
  await gateway.post(EMBEDDINGS, { model: 'encoder:patches', input }, secret, {
    headers: { 'x-request-id': requestId },
  });
  const read = () => gateway.admin('GET', `/v1/admin/prompts/${requestId}`);
  await expect.poll(() => read().catch(() => undefined)).toBeDefined();
  const text = JSON.stringify(await read());
  expect(text).toContain('PNG image, 120 x 90 pixels, 519 bytes, sha256 ');
  for (const line of [base64.slice(20, 60), large.slice(-300, -280)]) expect(text).not.toContain(line);
  expect(gateway.logged.join('\n')).not.toContain(base64.slice(20, 60));
});

test('cached vectors of an image are only returned to the key that sent it', async () => {
  const [owner, other] = [await someone(), await someone()];
  const [{ base64 } = { base64: '' }] = SHAPES;
  const input = [{ image: base64 }];
  const caches: unknown[] = [];
  for (const { secret } of [owner, owner, other]) {
    const answer = await embed(secret, input);
    caches.push(answer.headers.get('x-cache'));
    await answer.body?.cancel();
  }
  const changed = await embed(owner.secret, [{ image: `${base64.slice(0, -4)}AAAA` }]);
  expect([...caches, changed.headers.get('x-cache')]).toEqual(['miss', 'hit', 'miss', 'miss']);
});

test('images that an encoder cannot read are rejected with its sentence, and cost nothing', async () => {
  const { userId, secret } = await someone();
  const [{ base64 } = { base64: '' }] = SHAPES;
  // A server that would notice if the gateway or the encoder fetched the address.
  const before = (await openai.counts())['requests'];
  const address = `${openai.url}/circle.png`;
  // A PNG file that states a size of 60,000 x 60,000 pixels.
  const header = Buffer.from(base64, 'base64');
  header.writeUInt32BE(60_000, 16);
  header.writeUInt32BE(60_000, 20);
  for (const [input, message] of [
    [[{ image: address }], 'images are not fetched from URLs'],
    [[{ image: `data:image/png;base64,${address}` }], 'must be an image in base64 or a data: URL'],
    [['a text'], 'must be an image in base64 or a data: URL'],
    [[{ image: header.toString('base64') }], '60000 x 60000 pixels'],
    [Array.from({ length: 10_000 }, () => ({ image: PIXEL })), 'the maximum is 2048'],
  ] as const) {
    const { status, message: found } = await errorIn(await embed(secret, input));
    expect(String(found)).toContain(message);
    expect(status).toSatisfy((code: number) => [400, 413, 422].includes(code));
  }
  expect((await openai.counts())['requests']).toBe(before);
  const rows = await gateway.usage(userId);
  expect(rows.map(({ status, cost }) => [status, cost])).toEqual(rows.map(() => ['error', null]));
});

test('images that exceed the maximum body are rejected with one sentence, and are not logged', async () => {
  const { userId, secret } = await someone();
  const [{ base64 } = { base64: '' }] = SHAPES;
  const large = base64.replace(/=+$/, '').padEnd(1_200_000, 'A');
  const { status, message } = await errorIn(await embed(secret, [{ image: large }]));
  expect([status, message]).toEqual([
    413,
    'The body is larger than 1048576 bytes, the maximum of this server. Send a smaller request, or increase --max-body.',
  ]);
  expect(gateway.logged.join('\n')).not.toContain(base64.slice(20, 60));
  expect(await gateway.usage(userId)).toEqual([]);
});

test('models that read texts reject images with the sentence of their provider', async () => {
  const { secret } = await someone();
  const [{ base64 } = { base64: '' }] = SHAPES;
  const texts = await errorIn(await embed(secret, [{ image: base64 }], 'encoder:embedder'));
  expect(texts).toMatchObject({ status: 400, message: expect.stringMatching(/input/) });
  const malformed = await errorIn(await embed(secret, [{ picture: base64 }]));
  expect(malformed).toMatchObject({ status: 422, message: expect.stringContaining('input') });
  expect(JSON.stringify(malformed)).not.toContain(base64.slice(20, 60));
});
