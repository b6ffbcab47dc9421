import { afterAll, describe, expect, test } from 'vitest';
import { startFixture } from '../../fixture-provider.ts';
import { errorIn } from './fixture-gateway.ts';
import { instanceOf, MASTER, priced, runGateway } from './running-gateway.ts';

const fixture = await startFixture('openai');
const gateway = await runGateway({
  models: {
    providers: ['openai', 'azure'].map((name) => instanceOf('openai', fixture, { name, listedAs: name })),
    aliases: [{ name: 'ears', targets: [{ model: 'azure:gpt-4o-transcribe' }] }],
    pricing: [priced('openai:silent-about-usage', 10, 30)],
    requirePricing: true,
  },
});
afterAll(() => gateway.stop());
await gateway.user('ann');
const secret = await gateway.key({ user_id: 'ann', budget: { max_budget: 1 } });
const lastRow = async () => (await gateway.usage('ann')).at(-1);

/** 2 s of silence as WAV. */
const WAV = (() => {
  const bytes = Buffer.alloc(64_000);
  bytes.write('RIFF', 0, 'latin1');
  bytes.write('WAVE', 8, 'latin1');
  bytes.writeUInt32LE(32_000, 28);
  return bytes;
})();

function formOf(fields: Record<string, string>, audio: Uint8Array = WAV): FormData {
  const form = new FormData();
  // JavaScript clients send the file first.
  form.set('file', new File([Buffer.from(audio)], 'a "b".wav', { type: 'audio/wav' }));
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}
const send = (path: string, body: FormData | string, key = secret, more: object = {}): Promise<Response> =>
  fetch(`${gateway.url}/v1/audio/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
    },
    body,
    ...more,
  });

describe('transcriptions', () => {
  test('the file to transcribe is sent unchanged, and each kind of usage is charged at its own price', async () => {
    const whisper = await send('transcriptions', formOf({ model: 'openai:whisper-1', language: 'en' }));
    expect(await whisper.json()).toMatchObject({
      text: 'Hello there, how are you?',
      seen: { bytes: WAV.length, name: 'a "b".wav', type: 'audio/wav' },
    });
    // 3 s at 0.0001 dollars.
    expect(await lastRow()).toMatchObject({
      endpoint: '/v1/audio/transcriptions',
      model: 'openai:whisper-1',
      cost: 0.0003,
      usage_estimated: false,
    });
    const tokens = await send('translations', formOf({ model: 'ears', user: 'ann', prompt: 'A chat.' }));
    expect(tokens.status).toBe(200);
    // 4 tokens of text at 2.5, 30 of audio at 6, 8 of output at 10 dollars per million.
    expect(await lastRow()).toMatchObject({
      prompt_tokens: 34,
      completion_tokens: 8,
      cost: (4 * 2.5 + 30 * 6 + 8 * 10) / 1e6,
      endpoint: '/v1/audio/translations',
    });
    await send('transcriptions', formOf({ model: 'openai:whisper-1', response_format: 'verbose_json' }));
    expect(await lastRow()).toMatchObject({ cost: 0.0003 });
  });

  test('a transcription whose response reports no usage is billed by the length of the file', async () => {
    const text = await send('transcriptions', formOf({ model: 'openai:whisper-1', response_format: 'srt' }));
    expect([text.headers.get('content-type'), await text.text()]).toEqual([
      'text/plain; charset=utf-8',
      'Hello there, how are you?\n',
    ]);
    expect(await lastRow()).toMatchObject({ cost: 0.0002, usage_estimated: true });
    await send('transcriptions', formOf({ model: 'openai:silent-about-usage' }));
    expect(await lastRow()).toMatchObject({ prompt_tokens: 20, usage_estimated: true });
  });

  test('transcription events are streamed and billed', async () => {
    const answer = await send('transcriptions', formOf({ model: 'ears', stream: 'true' }));
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    const events = [...(await answer.text()).matchAll(/^data: (.*)$/gm)].map(
      ([, data = '']) => JSON.parse(data) as { type: string; delta?: string },
    );
    expect(events.map(({ delta }) => delta ?? '').join('')).toBe('Hello there, how are you?');
    expect(events.at(-1)).toMatchObject({ type: 'transcript.text.done' });
    expect(await lastRow()).toMatchObject({ cost: (4 * 2.5 + 30 * 6 + 8 * 10) / 1e6 });
  });

  test('an invalid transcription request returns an error', async () => {
    const form = formOf({ model: 'openai:whisper-1' });
    form.delete('file');
    expect(await errorIn(await send('transcriptions', form))).toMatchObject({ status: 422, param: 'file' });
    expect(await errorIn(await send('transcriptions', formOf({})))).toMatchObject({ status: 422 });
    expect(await errorIn(await send('transcriptions', '{}'))).toMatchObject({ status: 415 });
    const large = formOf({ model: 'openai:whisper-1' }, Buffer.alloc(1_100_000));
    expect(await errorIn(await send('transcriptions', large))).toMatchObject({ status: 413 });
    expect(
      await errorIn(await send('transcriptions', formOf({ model: 'openai:whisper-1', odd: 'x' }))),
    ).toMatchObject({ status: 400, code: 'provider_refused' });
    expect(await errorIn(await send('transcriptions', formOf({ model: 'openai:unheard-of' })))).toMatchObject(
      { status: 402 },
    );
    expect((await send('transcriptions', formOf({ model: 'openai:whisper-1' }), 'no-key')).status).toBe(401);
    expect((await send('transcriptions', formOf({ model: 'openai:whisper-1' }), MASTER)).status).toBe(400);
    const broken = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'multipart/form-data; boundary=x' },
      body: '--x\r\nContent-Disposition: form-data; name="model"\r\n\r\nwhis',
    });
    expect(await errorIn(broken)).toMatchObject({ status: 400 });
  });

  test('a file that exceeds the budget is rejected', async () => {
    const poor = await gateway.key({ user_id: 'ann', budget: { max_budget: 0.0001 } });
    expect(
      await errorIn(await send('transcriptions', formOf({ model: 'openai:whisper-1' }), poor)),
    ).toMatchObject({ status: 403 });
  });
});

describe('speech', () => {
  const say = (model: string, more: object = {}): Promise<Response> =>
    send('speech', JSON.stringify({ model, input: 'Hello!', voice: 'alloy', ...more }));

  test('speech is passed through and billed by characters or tokens', async () => {
    const answer = await say('openai:tts-1');
    expect(answer.headers.get('content-type')).toBe('audio/mpeg');
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(Buffer.alloc(6000, 0xfb));
    expect(await lastRow()).toMatchObject({
      endpoint: '/v1/audio/speech',
      cost: 6 * 0.000015,
      usage_estimated: false,
    });
    const events = await (await say('openai:gpt-4o-mini-tts', { stream_format: 'sse' })).text();
    expect(events).toContain('speech.audio.done');
    expect(await lastRow()).toMatchObject({ cost: (5 * 0.6 + 40 * 12) / 1e6, completion_tokens: 40 });
    await (await say('openai:gpt-4o-mini-tts')).arrayBuffer();
    expect(await lastRow()).toMatchObject({ completion_tokens: 8, usage_estimated: true });
  });

  test('truncated audio counts as incomplete', async () => {
    await gateway.admin('POST', '/v1/pricing', {
      model_key: 'openai:cut',
      input_price_per_million: 1,
      output_price_per_million: 1,
    });
    const answer = await say('openai:cut');
    await expect(answer.arrayBuffer()).rejects.toThrow(/terminated|aborted|fetch/);
    expect(await lastRow()).toMatchObject({ status: 'error', status_code: 502, model: 'openai:cut' });
    expect(await errorIn(await say('openai:tts-1', { voice: undefined }))).toMatchObject({ status: 400 });
  });
});
