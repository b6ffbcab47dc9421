import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createTokenCounter } from '#gateway/requests/tokens/token-counter.ts';
import { imageSize } from '#gateway/shared/image-size.ts';
import { imageTokens } from '#gateway/requests/tokens/media-tokens.ts';

interface Golden {
  readonly text: string;
  readonly o200k: number;
  readonly cl100k: number;
}

/** Counts of Python's tiktoken, created by fixtures/scripts/make_token_counts.py. */
const { texts, mixtures } = JSON.parse(
  readFileSync(new URL('../../../../../../fixtures/tokens/counts.json', import.meta.url), 'utf8'),
) as {
  readonly texts: readonly (Golden & { readonly name: string })[];
  readonly mixtures: readonly Golden[];
};

const MODELS = { o200k: 'openai:gpt-4o-2024-08-06', cl100k: 'azure:gpt-4' } as const;
const counter = createTokenCounter();
await counter.loading([...Object.values(MODELS), 'anthropic:claude-sonnet-4-5']);

test.each(['o200k', 'cl100k'] as const)('%s: counts match tiktoken', (encoding) => {
  const model = MODELS[encoding];
  expect(texts.length).toBeGreaterThan(20);
  for (const one of texts) {
    const difference = Math.abs(counter.output(model, one.text) - one[encoding]);
    expect(difference / one[encoding], one.name).toBeLessThanOrEqual(0.02);
  }
  const differing = mixtures.filter((one) => counter.output(model, one.text) !== one[encoding]);
  // Characters are counted as a whole where tokens would span several of them, which does not occur in real texts.
  expect(differing.length / mixtures.length).toBeLessThan(0.05);
});

test('tokens of long texts are counted by sampling in bounded time, regardless of the content', () => {
  const chapters = texts.map(({ text }) => text.repeat(30));
  const all = chapters.join('\n');
  const whole = chapters.reduce((sum, text) => {
    const parts = text.match(/[^]{1,4000}/g) ?? [];
    return sum + parts.reduce((count, part) => count + counter.output(MODELS.o200k, part), 0);
  }, 0);
  expect(all.length).toBeGreaterThan(80_000);
  expect(Math.abs(counter.output(MODELS.o200k, all) / whole - 1)).toBeLessThan(0.1);
  const { user: before } = process.cpuUsage();
  const worst = ['a', ' ', '中', 'é', '👍', '1', '!', '\n'].map((one) =>
    counter.output(MODELS.o200k, one.repeat(1_000_000)),
  );
  // This would take seconds if time grew with the length or its square.
  expect((process.cpuUsage().user - before) / 1000).toBeLessThan(400);
  for (const tokens of worst) expect(tokens).toBeGreaterThan(1000);
});

const say = (content: unknown) => ({ model: 'x', messages: [{ role: 'user', content }] });

test('the token count of a prompt includes its texts, its tools and the message format', () => {
  // OpenAI bills 8 tokens for this message.
  expect(counter.prompt(MODELS.o200k, say('Hello')).tokens).toBe(8);
  expect(counter.prompt(MODELS.o200k, { model: 'x', input: 'Hello' }).tokens).toBe(1);
  const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }];
  const own = counter.output(MODELS.o200k, JSON.stringify(tools));
  expect(counter.prompt(MODELS.o200k, { ...say('Hello'), tools }).tokens).toBe(8 + own);
});

test('tokens of a model without a published encoding are estimated by the ratios that its provider reported for each script', async () => {
  const own = createTokenCounter();
  const model = 'anthropic:claude-sonnet-4-5';
  const prompt = (name: string) => say(texts.find((one) => one.name === name)?.text.repeat(3) ?? '');
  await own.loading([model]);
  const [english, russian] = [own.prompt(model, prompt('english')), own.prompt(model, prompt('russian'))];
  const base = counter.prompt(MODELS.o200k, prompt('english')).tokens;
  expect(english.tokens).toBe(Math.ceil(base * 1.25));
  own.learn(model, english, base * 2);
  expect(own.prompt(model, prompt('german')).tokens).toBeGreaterThan(
    counter.prompt(MODELS.o200k, prompt('german')).tokens * 1.9,
  );
  own.learn(model, english, base * 3);
  expect(own.prompt(model, prompt('english')).tokens).toBe(Math.ceil(base * 2.0625));
  // Other scripts, models, short texts and impossible reports are not affected.
  expect(own.prompt(model, prompt('russian')).tokens).toBe(russian.tokens);
  own.learn(model, russian, 1_000_000);
  expect(own.prompt(model, prompt('russian')).tokens).toBeLessThanOrEqual(Math.ceil(russian.tokens * 2));
  // One user cannot shift the estimates of others any further, however often its texts are counted differently.
  for (let reports = 0; reports < 1000; reports += 1) own.learn(model, english, base * 50);
  expect(own.prompt(model, prompt('english')).tokens).toBeLessThanOrEqual(english.tokens * 2);
  for (let reports = 0; reports < 1000; reports += 1) own.learn(model, english, 50);
  expect(own.prompt(model, prompt('english')).tokens).toBeGreaterThanOrEqual(Math.floor(english.tokens / 2));
  const short = own.prompt('anthropic:claude-3', say('Hello'));
  own.learn('anthropic:claude-3', short, 1000);
  expect(own.prompt('anthropic:claude-3', say('Hello')).tokens).toBe(short.tokens);
});

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAASwAAADICAIAAADdvUsCAAAAxUlEQVR4nO3BMQEAAADCoPVPbQsvoAAA';
const SIZED = {
  png: PNG,
  gif: 'R0lGODdhLAHIAIEAAAAAAAAAAAAAAAAAACwAAAAALAHIAEAI',
  webp: 'UklGRqYAAABXRUJQVlA4IJoAAABwEACdASosAcgAP83m8XO/uDOsoCgD8DmJ',
  lossless: 'UklGRiIAAABXRUJQVlA4TBYAAAAvK8ExAAcQEf0PACjS//8U0f/U/68B',
  // A comment, and then the frame.
  jpeg: Buffer.from('ffd8fffe0006aabbccddffc000110800c8012c03', 'hex').toString('base64'),
};

test.each(Object.entries(SIZED))('reads the dimensions of an image: %s', (_kind, base64) => {
  expect(imageSize(base64)).toMatchObject({ width: 300, height: 200 });
});

test.each(['', 'AAAA', PNG.slice(0, 12), '/9j/4AAQSkZJRg==', '!!', 'R0lGODdh'])(
  'the damaged image %j has unknown dimensions',
  (base64) => {
    expect(imageSize(base64)).toBeUndefined();
  },
);

// Examples from the vendors' documentation.
test.each([
  ['gpt-4o', 'openai', 1024, 1024, 'high', 765],
  ['gpt-4o', 'openai', 2048, 4096, 'high', 1105],
  ['gpt-4o', 'openai', 4096, 8192, 'low', 85],
  ['gpt-4o-mini', 'openai', 1024, 1024, 'auto', 25_501],
  ['gpt-4.1-mini', 'openai', 1024, 1024, undefined, Math.ceil(1024 * 1.62)],
  ['claude-sonnet-4-5', 'anthropic', 200, 200, undefined, 54],
  ['claude-sonnet-4-5', 'anthropic', 1000, 1000, undefined, 1334],
  ['claude-sonnet-4-5', 'anthropic', 8000, 8000, undefined, 1600],
  ['gemini-2.5-pro', 'gemini', 384, 384, undefined, 258],
  ['gemini-2.5-pro', 'gemini', 960, 540, undefined, 6 * 258],
] as const)(
  '%s (%s): an image of %i x %i pixels, detail %s, has %i tokens',
  (model, media, width, height, detail, tokens) => {
    expect(imageTokens(model, media, { size: { width, height }, detail })).toBe(tokens);
  },
);

const PDF = Buffer.from(
  '%PDF-1.3\n1 0 obj\n<</Type /Pages /Count 3 /Kids []>>\nendobj\n' +
    '4 0 obj\n<</Type /Page>>\nendobj\n'.repeat(3),
).toString('base64');
const WAV = Buffer.concat([
  Buffer.from('RIFF----WAVEfmt ', 'latin1'),
  Buffer.from('1000000001000100803e0000007d000002001000', 'hex'),
  Buffer.alloc(64_000 - 36),
]).toString('base64');

test("tokens of images, documents and audio are counted by the model's rules in every client API", () => {
  const url = `data:image/png;base64,${PNG}`;
  const other = (model: string, part: object) =>
    counter.prompt(model, say([part])).tokens - counter.prompt(model, say([])).tokens;
  const [gpt, claude, gemini] = [MODELS.o200k, 'anthropic:claude-sonnet-4-5', 'gemini:gemini-2.5-pro'];
  expect(other(gpt, { type: 'image_url', image_url: { url } })).toBe(85 + 170);
  expect(other(gpt, { type: 'input_image', image_url: url, detail: 'low' })).toBe(85);
  expect(other(gpt, { type: 'image_url', image_url: { url: 'https://example.org/a.png' } })).toBe(
    85 + 8 * 170,
  );
  expect(
    other(claude, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }),
  ).toBe(80);
  expect(
    other(claude, { type: 'tool_result', content: [{ type: 'image', source: { type: 'url', url: 'x' } }] }),
  ).toBe(1600);
  expect(other(claude, { type: 'document', source: { type: 'base64', data: PDF } })).toBe(3 * 3000);
  expect(other(gemini, { type: 'file', file: { file_data: `data:application/pdf;base64,${PDF}` } })).toBe(
    3 * 258,
  );
  expect(other(gemini, { inline_data: { mime_type: 'image/png', data: PNG } })).toBe(258);
  // Two seconds of 16-bit samples at 16 kHz.
  expect(other(gpt, { type: 'input_audio', input_audio: { data: WAV, format: 'wav' } })).toBe(20);
  expect(other(gemini, { type: 'input_audio', input_audio: { data: WAV, format: 'wav' } })).toBe(64);
});
