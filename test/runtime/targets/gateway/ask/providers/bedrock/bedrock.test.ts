import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../../../../runtime/platform/clock.ts';
import { instanceOfEntry, providerOfEntry } from '../../../cloud-provider.ts';
import { problems } from '../../../config/read.ts';
import { startFixture } from '../../../fixture-provider.ts';
import {
  callOf,
  chatBody,
  contentOf,
  eventsOf,
  failureOf,
  jsonOf,
  readStream,
  REPLY,
  TOOL_ARGUMENTS,
} from '../../../test-provider.ts';
import { USAGE } from '../../../three-providers.ts';

const fixture = await startFixture('bedrock');
const folder = mkdtempSync(join(tmpdir(), 'encoderfile-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const KEYS = { access_key_id: 'AKIDFIXTURE', secret_access_key: SECRET };
/** No tool of Amazon on this machine has a part in the tests. */
const NOWHERE = {
  AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials'),
  AWS_CONFIG_FILE: join(folder, 'config'),
  AWS_EC2_METADATA_DISABLED: 'true',
};
const entryOf = (aws: object = KEYS, more: object = {}): object => ({
  api_base: fixture.url,
  aws: { region: 'us-east-1', ...aws },
  ...more,
});
const bedrock = await providerOfEntry('bedrock', entryOf(), { env: NOWHERE });
const COUNTED = {
  promptTokens: 30,
  completionTokens: 12,
  cachedTokens: 8,
  cacheWriteTokens: 3,
  cacheWrite1hTokens: 3,
  reasoningTokens: 0,
};
const sent = async (): Promise<Record<string, unknown>> => JSON.parse((await fixture.last()).body);
const ARN = 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/good';

describe('Converse', () => {
  test.each(['good', 'us.amazon.good-v1:0', ARN])('answers %s, whole and as a stream', async (model) => {
    const whole = await bedrock.chat(callOf('chat', chatBody(model)));
    expect(jsonOf(whole)).toMatchObject({
      model,
      choices: [{ message: { content: REPLY }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 30, completion_tokens: 12, total_tokens: 42 },
    });
    expect((await fixture.last()).path).toBe(`/model/${encodeURIComponent(model)}/converse`);
    const stream = callOf('chat', chatBody(model, { stream: true }));
    const { text, summary } = await readStream(await bedrock.chat(stream));
    expect([contentOf(text), summary.outcome, summary.usage]).toEqual([REPLY, 'complete', COUNTED]);
  });

  test('byte by byte, with reasoning, and with tools', async () => {
    const read = async (model: string, more: object = {}) =>
      await readStream(await bedrock.chat(callOf('chat', chatBody(model, { stream: true, ...more }))));
    expect(contentOf((await read('split')).text)).toBe(REPLY);
    const thought = await read('thinks');
    expect(
      eventsOf(thought.text)
        .filter(([, data]) => data !== '[DONE]')
        .map(([, data]) => JSON.parse(data).choices?.[0]?.delta?.reasoning_content ?? '')
        .join(''),
    ).toBe('Hm, 東京.');
    const tools = ['one', 'two'].map((name) => ({ type: 'function', function: { name } }));
    const called = await read('good', { tools });
    const calls = new Map<number, string>();
    for (const [, data] of eventsOf(called.text))
      for (const { index, function: part } of data === '[DONE]'
        ? []
        : (JSON.parse(data).choices[0]?.delta.tool_calls ?? []))
        calls.set(index, (calls.get(index) ?? '') + (part.arguments ?? ''));
    expect([...calls.values()].map((text) => JSON.parse(text))).toEqual([TOOL_ARGUMENTS, TOOL_ARGUMENTS]);
    expect(called.summary.finishReason).toBe('tool_calls');
  });

  test('gets everything that it can express', async () => {
    const png = `data:image/png;base64,${Buffer.from('png').toString('base64')}`;
    const cached = { cache_control: { type: 'ephemeral', ttl: '1h' } };
    const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } };
    const body = {
      model: 'anthropic.talks',
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.', ...cached }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image_url', image_url: { url: png } },
            {
              type: 'file',
              file: { file_data: png.replace('image/png', 'application/pdf'), filename: 'a_b.pdf' },
            },
          ],
        },
        { role: 'assistant', content: null, tool_calls: [call, { ...call, id: 'c2' }] },
        { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
        { role: 'tool', tool_call_id: 'c2', content: '' },
        { role: 'user', content: 'So?' },
      ],
      max_tokens: 5,
      temperature: 1.5,
      top_p: 0.5,
      stop: 'END',
      tools: [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } }, ...cached }],
      tool_choice: { type: 'function', function: { name: 'weather' } },
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' } } },
      thinking: { type: 'enabled', budget_tokens: 1024 },
    };
    jsonOf(await bedrock.chat(callOf('chat', body)));
    const cachePoint = { type: 'default', ttl: '1h' };
    const source = { bytes: Buffer.from('png').toString('base64') };
    const toolUse = { toolUseId: 'c1', name: 'weather', input: { city: 'Bern' } };
    expect(await sent()).toEqual({
      system: [{ text: 'Be brief.' }, { cachePoint }],
      messages: [
        {
          role: 'user',
          content: [
            { text: 'Look' },
            { image: { format: 'png', source } },
            { document: { format: 'pdf', name: 'a-b-pdf', source } },
          ],
        },
        { role: 'assistant', content: [{ toolUse }, { toolUse: { ...toolUse, toolUseId: 'c2' } }] },
        {
          role: 'user',
          content: [
            { toolResult: { toolUseId: 'c1', content: [{ text: 'sunny' }] } },
            { toolResult: { toolUseId: 'c2', content: [{ text: '(no output)' }] } },
            { text: 'So?' },
          ],
        },
      ],
      inferenceConfig: { maxTokens: 5, temperature: 1, topP: 0.5, stopSequences: ['END'] },
      toolConfig: {
        tools: [{ toolSpec: { name: 'weather', inputSchema: { json: { type: 'object' } } } }, { cachePoint }],
        toolChoice: { tool: { name: 'weather' } },
      },
      outputConfig: {
        textFormat: {
          type: 'json_schema',
          structure: { jsonSchema: { name: 'answer', schema: '{"type":"object"}' } },
        },
      },
      additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1024 } },
    });
  });

  test('with no choice of a tool, calls and their results are texts', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } };
    const body = {
      model: 'good',
      messages: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Let me see.', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
      ],
      tools: [{ type: 'function', function: { name: 'weather' } }],
      tool_choice: 'none',
    };
    jsonOf(await bedrock.chat(callOf('chat', body)));
    expect(await sent()).toEqual({
      messages: [
        { role: 'user', content: [{ text: 'Hello' }] },
        { role: 'assistant', content: [{ text: 'Let me see.' }, { text: 'Called weather with {}' }] },
        { role: 'user', content: [{ text: 'Result of weather: sunny' }] },
      ],
    });
  });

  test('counts tokens, and lists models at the address of its own', async () => {
    const counted = await bedrock.countTokens?.(callOf('chat', chatBody('anthropic.good')));
    expect(counted).toEqual({ kind: 'counted', tokens: 30 });
    expect(await sent()).toEqual({
      input: { converse: { messages: [{ role: 'user', content: [{ text: 'Hello' }] }] } },
    });
    expect(await bedrock.models(new AbortController().signal)).toEqual([
      { id: 'amazon.nova-pro-v1:0', created: 0, ownedBy: 'Amazon' },
    ]);
  });
});

describe('Anthropic’s models for clients of their own API', () => {
  const body = {
    model: 'us.anthropic.good',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'Hello' }],
    metadata: { user_id: 'ann' },
  };

  test('bytes pass through, whole and as a stream', async () => {
    expect(jsonOf(await bedrock.chat(callOf('messages', body)))).toMatchObject({
      type: 'message',
      content: [{ type: 'text', text: REPLY }],
    });
    const { path } = await fixture.last();
    expect([path, await sent()]).toEqual([
      '/model/us.anthropic.good/invoke',
      {
        max_tokens: 9,
        messages: body.messages,
        metadata: body.metadata,
        anthropic_version: 'bedrock-2023-05-31',
      },
    ]);
    const { text, summary } = await readStream(
      await bedrock.chat(callOf('messages', { ...body, stream: true })),
    );
    expect(eventsOf(text).map(([name]) => name)).toEqual(
      expect.arrayContaining(['message_start', 'content_block_delta', 'message_delta', 'message_stop']),
    );
    expect([summary.outcome, summary.usage]).toEqual(['complete', USAGE.anthropic]);
    expect((await fixture.last()).path).toBe('/model/us.anthropic.good/invoke-with-response-stream');
  });

  test.each(['messages', 'chat'] as const)('errors of streams of %s keep their kind', async (wire) => {
    const first = await bedrock.chat(
      callOf(wire, { ...body, model: 'us.anthropic.error-first', stream: true }),
    );
    expect(failureOf(first).kind).toBe('rate_limited');
    const cut = await bedrock.chat(
      callOf(wire, { ...body, model: 'us.anthropic.error-later', stream: true }),
    );
    const { summary } = await readStream(cut);
    expect(summary.outcome).toBe('incomplete');
  });
});

test('embeddings of Titan one by one, of Cohere together', async () => {
  const ask = async (model: string) =>
    jsonOf(
      (await bedrock.embed(
        callOf('chat', { model, input: ['a', 'bc', 'def', 'ghij', 'k'], dimensions: 3 }),
      )) as Parameters<typeof jsonOf>[0],
    );
  const vectors = [1, 2, 3, 4, 1].map((length) => [length, 0.5, -0.25]);
  const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));
  const titan = await ask('amazon.titan-embed-text-v2:0');
  expect(titan).toMatchObject({ data, usage: { prompt_tokens: 20 } });
  expect(await sent()).toMatchObject({ dimensions: 3 });
  expect(await ask('cohere.embed-v4:0')).toMatchObject({ data });
  expect(await sent()).toMatchObject({ input_type: 'search_document', output_dimension: 3 });
  const failed = await bedrock.embed(callOf('chat', { model: 'amazon.nova-pro', input: 'a' }));
  expect(failureOf(failed).kind).toBe('unsupported');
});

describe('credentials', () => {
  const signer = async (aws: object, env: Readonly<Record<string, string>> = {}, more: object = {}) => {
    const provider = await providerOfEntry('bedrock', entryOf(aws, more), { env: { ...NOWHERE, ...env } });
    const answer = await provider.chat(callOf('chat', chatBody('good')));
    if (answer.kind === 'failed') return failureOf(answer);
    const { authorization = '' } = (await fixture.last()).headers;
    return /Credential=(\w+)|^Bearer .*/.exec(authorization)?.[1] ?? authorization;
  };

  test('of the environment, of shared files, of a container and of the machine', async () => {
    expect(await signer({}, { AWS_ACCESS_KEY_ID: 'AKIDFIXTURE', AWS_SECRET_ACCESS_KEY: SECRET })).toBe(
      'AKIDFIXTURE',
    );
    expect(await signer({}, { AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key-1' })).toBe('Bearer bedrock-key-1');
    expect(await signer({}, {}, { api_key: 'bedrock-key-2' })).toBe('Bearer bedrock-key-2');
    writeFileSync(
      join(folder, 'credentials'),
      `# keys\n[default]\naws_access_key_id = AKIDWRONG\naws_secret_access_key=x\n\n[team]\naws_access_key_id=AKIDFIXTURE\naws_secret_access_key = ${SECRET}\n`,
    );
    writeFileSync(join(folder, 'config'), '[profile sso]\nsso_session = s\n');
    expect(await signer({ profile: 'team' })).toBe('AKIDFIXTURE');
    expect(await signer({}, { AWS_PROFILE: 'team' })).toBe('AKIDFIXTURE');
    const other = await signer({ profile: 'sso' });
    expect(other).toMatchObject({ kind: 'credentials', text: expect.stringContaining('`sso_session`') });
    const nobody = await signer({ profile: 'nobody' });
    expect(nobody).toMatchObject({ text: expect.stringContaining('Profile `nobody` has no keys') });
    rmSync(join(folder, 'credentials'));
    const container = {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${fixture.url}/container`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: 'container-token',
    };
    expect(await signer({}, container)).toBe('ASIAFIXTURE');
    const machine = { AWS_EC2_METADATA_DISABLED: '', AWS_EC2_METADATA_SERVICE_ENDPOINT: fixture.url };
    expect(await signer({}, machine)).toBe('ASIAFIXTURE');
    expect((await fixture.last()).headers['x-amz-security-token']).toMatch(/^IQoJ/);
    expect(await signer({})).toMatchObject({
      kind: 'credentials',
      text: expect.stringContaining('No keys for Amazon were found.'),
    });
  });

  test('a wrong secret and a wrong clock are errors of the gateway', async () => {
    expect(await signer({ ...KEYS, secret_access_key: 'wrong-secret-1' })).toMatchObject({
      kind: 'credentials',
    });
    const clock = { ...systemClock, now: () => systemClock.now() - 3_600_000 };
    const late = await providerOfEntry('bedrock', entryOf(), { env: NOWHERE, clock });
    expect(failureOf(await late.chat(callOf('chat', chatBody('good'))))).toMatchObject({
      kind: 'credentials',
      text: expect.stringContaining("The clock of this machine differs from Amazon's; correct it."),
    });
  });
});

describe('configuration', () => {
  test('addresses follow from the region, and prices are those of Amazon', async () => {
    const instance = await instanceOfEntry('bedrock', {}, { ...NOWHERE, AWS_REGION: 'eu-central-1' });
    expect(instance).toMatchObject({
      baseUrl: 'https://bedrock-runtime.eu-central-1.amazonaws.com',
      listedAs: 'bedrock',
      local: false,
      cloud: { controlUrl: 'https://bedrock.eu-central-1.amazonaws.com', region: 'eu-central-1' },
    });
    const china = await instanceOfEntry('bedrock', { aws: { region: 'cn-north-1' } }, NOWHERE);
    expect(china.baseUrl).toBe('https://bedrock-runtime.cn-north-1.amazonaws.com.cn');
  });

  test.each([
    [{}, 'type bedrock requires a region; set `aws.region`, e.g. us-east-1, or AWS_REGION'],
    [{ aws: { region: 'Frankfurt' } }, '`Frankfurt` is not a region; expected a name such as us-east-1'],
    [{ aws: { region: 'us-east-1', access_key_id: 'A' } }, 'requires `secret_access_key` as well'],
    [
      { aws: { region: 'us-east-1', ...KEYS, profile: 'p' } },
      'conflicts with `access_key_id`; keep one of them',
    ],
    [
      { aws: { region: 'us-east-1', ...KEYS }, api_key: 'k-1' },
      'conflicts with the keys of `aws`; keep one of them',
    ],
    [{ aws: { region: 'us-east-1' }, deployments: { a: 'b' } }, 'requires type azure'],
  ])('problem of %j', async (entry, expected) => {
    const [problem, ...others] = await problems({ providers: { bedrock: entry } }, { env: NOWHERE });
    expect(problem).toContain(expected);
    expect([others, problem?.includes(SECRET)]).toEqual([[], false]);
  });
});
