import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { vertexUrl } from '#gateway/providers/adapters/vertex/open.ts';
import { instanceOfEntry, providerOfEntry } from '../../cloud-provider.ts';
import { problems } from '../../config/read.ts';
import { startFixture } from '../../fixture-provider.ts';
import {
  callOf,
  chatBody,
  contentOf,
  eventsOf,
  failureOf,
  jsonOf,
  readStream,
  REPLY,
  wholeOf,
} from '../../test-provider.ts';
import { USAGE } from '../../three-providers.ts';

const fixture = await startFixture('vertex');
const folder = mkdtempSync(join(tmpdir(), 'encoderfile-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const account = (await (await fetch(`${fixture.url}/account`)).json()) as Record<string, string>;
const fileOf = (name: string, content: object): string => {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(content));
  return path;
};
const ACCOUNT = fileOf('account.json', account);
/** Excludes Google's configuration on this machine from the tests. */
const NOWHERE = { CLOUDSDK_CONFIG: folder, GCE_METADATA_HOST: '127.0.0.1:9' };
const entryOf = (google: object = {}): object => ({
  api_base: fixture.url,
  google: { project: 'project-1', location: 'europe-west1', credentials: ACCOUNT, ...google },
});
const vertex = await providerOfEntry('vertex', entryOf(), { env: NOWHERE });
const PLACE = '/v1/projects/project-1/locations/europe-west1/publishers';
const last = async (): Promise<{ path: string; body: Record<string, unknown> }> => {
  const { path, body } = await fixture.last();
  return { path, body: JSON.parse(body) as Record<string, unknown> };
};

describe('Google models', () => {
  const prompt = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] };

  test.each(['good', 'publishers/google/models/good'])(
    'chats work with the model %s, buffered and streamed',
    async (model) => {
      expect(jsonOf(await vertex.chat(callOf('chat', chatBody(model))))).toMatchObject({
        choices: [{ message: { content: REPLY } }],
      });
      expect((await last()).path).toBe(`${PLACE}/google/models/good:generateContent`);
      const stream = callOf('chat', chatBody(model, { stream: true }));
      const { text, summary } = await readStream(await vertex.chat(stream));
      expect([contentOf(text), summary.outcome, summary.usage]).toEqual([REPLY, 'complete', USAGE.gemini]);
      expect((await last()).path).toBe(`${PLACE}/google/models/good:streamGenerateContent?alt=sse`);
    },
  );

  test("requests in Gemini's format pass through, tokens are counted and models are listed", async () => {
    const body = { ...prompt, model: 'good', stream: false };
    expect(jsonOf(await vertex.chat(callOf('gemini', body)))).toMatchObject({ responseId: 'gemini-fixture' });
    expect((await last()).body).toEqual(prompt);
    expect(await vertex.countTokens?.(callOf('chat', chatBody('good')))).toEqual({
      kind: 'counted',
      tokens: USAGE.gemini.promptTokens,
    });
    expect(await vertex.models(new AbortController().signal)).toEqual([
      { id: 'gemini-x', created: 0, ownedBy: 'google' },
    ]);
  });

  test('embeddings are returned with their token count', async () => {
    const answer = await vertex.embed(callOf('chat', { model: 'e5', input: ['a', 'bc'], dimensions: 3 }));
    const { summary } = wholeOf(answer);
    expect([jsonOf(answer), summary.usage?.promptTokens]).toMatchObject([
      { data: [{ embedding: [1, 0.5, -0.25] }, { embedding: [2, 0.5, -0.25] }], usage: { prompt_tokens: 6 } },
      6,
    ]);
    expect(await last()).toEqual({
      path: `${PLACE}/google/models/e5:predict`,
      body: { instances: [{ content: 'a' }, { content: 'bc' }], parameters: { outputDimensionality: 3 } },
    });
  });
});

describe('Anthropic models', () => {
  const body = { max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] };
  const model = 'claude-good@20250929';

  test("requests in Anthropic's format pass through, buffered and streamed", async () => {
    const anthropic_version = 'vertex-2023-10-16';
    expect(jsonOf(await vertex.chat(callOf('messages', { model, ...body })))).toMatchObject({
      content: [{ text: REPLY }],
    });
    expect(await last()).toEqual({
      path: `${PLACE}/anthropic/models/${model}:rawPredict`,
      body: { ...body, anthropic_version },
    });
    const stream = callOf('messages', { model, ...body, stream: true });
    const { text, summary } = await readStream(await vertex.chat(stream));
    expect(eventsOf(text).at(-1)?.[0]).toBe('message_stop');
    expect([summary.outcome, summary.usage]).toEqual(['complete', USAGE.anthropic]);
    expect(await last()).toEqual({
      path: `${PLACE}/anthropic/models/${model}:streamRawPredict`,
      body: { ...body, stream: true, anthropic_version },
    });
  });

  test('requests in other formats are translated, and tokens are counted', async () => {
    const stream = callOf('chat', chatBody(model, { stream: true }));
    const { text } = await readStream(await vertex.chat(stream));
    expect(contentOf(text)).toBe(REPLY);
    const counted = { kind: 'counted', tokens: USAGE.anthropic.promptTokens };
    expect(await vertex.countTokens?.(callOf('chat', chatBody(model)))).toEqual(counted);
    const { max_tokens: _none, ...prompt } = body;
    expect(await vertex.countTokens?.(callOf('messages', { model, ...prompt }))).toEqual(counted);
    expect(await last()).toMatchObject({
      path: `${PLACE}/anthropic/models/count-tokens:rawPredict`,
      body: { model },
    });
  });
});

describe('credentials', () => {
  const ask = async (google: object, env: Readonly<Record<string, string>> = {}) => {
    const provider = await providerOfEntry('vertex', entryOf(google), { env: { ...NOWHERE, ...env } });
    return await provider.chat(callOf('chat', chatBody('good')));
  };
  const without = { credentials: undefined };

  test('credentials can come from a user, the environment, gcloud or the machine', async () => {
    const user = fileOf('user.json', {
      type: 'authorized_user',
      client_id: 'id',
      client_secret: 'user-secret-1',
      refresh_token: 'refresh-1',
      token_uri: `${fixture.url}/token`,
    });
    expect((await ask({ credentials: user })).kind).toBe('whole');
    expect((await ask(without, { GOOGLE_APPLICATION_CREDENTIALS: ACCOUNT })).kind).toBe('whole');
    const machine = { GCE_METADATA_HOST: new URL(fixture.url).host };
    expect((await ask(without, machine)).kind).toBe('whole');
    fileOf('application_default_credentials.json', account);
    expect((await ask(without)).kind).toBe('whole');
    rmSync(join(folder, 'application_default_credentials.json'));
    expect(failureOf(await ask(without)).kind).toBe('unreachable');
  });

  test('credentials can come from another identity provider, with and without a service account', async () => {
    const federated = (more: object): string =>
      fileOf('federated.json', {
        type: 'external_account',
        audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/x',
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
        token_url: `${fixture.url}/token`,
        ...more,
      });
    const file = join(folder, 'token');
    writeFileSync(file, 'other-token\n');
    const server = { url: `${fixture.url}/other-system`, headers: { 'X-Other': 'yes' } };
    const json = { type: 'json', subject_token_field_name: 'id_token' };
    const impersonation = `${fixture.url}/v1/projects/-/serviceAccounts/${account['client_email']}:generateAccessToken`;
    for (const more of [
      { credential_source: { file } },
      { credential_source: { ...server, format: json } },
      { credential_source: { file }, service_account_impersonation_url: impersonation },
    ])
      expect((await ask({ credentials: federated(more) })).kind, JSON.stringify(more)).toBe('whole');
    writeFileSync(file, 'old-token');
    for (const [source, reason] of [
      [{ file }, 'rejected by the attribute condition'],
      [{ file: join(folder, 'nothing') }, 'Cannot read the token of the external system: ENOENT'],
      [{ url: server.url }, '(status 403)'],
      [{ ...server, format: { ...json, subject_token_field_name: 'x' } }, 'has no member `x`'],
      [{ environment_id: 'aws1', url: server.url }, 'must be a file or a URL'],
      [{ executable: { command: 'x' } }, 'must be a file or a URL'],
    ] as const) {
      const failed = failureOf(await ask({ credentials: federated({ credential_source: source }) }));
      expect([failed.kind, failed.text]).toEqual(['credentials', expect.stringContaining(reason)]);
    }
  });

  test('concurrent requests share one token', async () => {
    const provider = await providerOfEntry('vertex', entryOf(), { env: NOWHERE });
    const tokens = new Set<string | undefined>();
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        wholeOf(await provider.chat(callOf('chat', chatBody('good'))));
        tokens.add((await fixture.last()).headers['authorization']);
      }),
    );
    expect(tokens.size).toBe(1);
  });

  test.each([
    [{ ...account, private_key: 'no key' }, 'is not a PEM key'],
    [{ ...account, private_key_id: 'other' }, 'Invalid JWT Signature.'],
    [{ type: 'gdch_service_account' }, 'contains credentials of the unsupported type `gdch_service_account`'],
    [{ type: 'external_account' }, 'must contain `audience`, `subject_token_type` and `token_url`'],
    [{ type: 'service_account' }, 'has no `client_email` and `private_key`'],
  ])('invalid credentials are rejected (%#)', async (content, expected) => {
    const failed = failureOf(await ask({ credentials: fileOf('bad.json', content) }));
    expect([failed.kind, failed.text]).toEqual(['credentials', expect.stringContaining(expected)]);
    expect(JSON.stringify(failed)).not.toContain(account['private_key']?.slice(60, 100));
  });

  test("an error names the machine's incorrect clock as the reason", async () => {
    const clock = { ...systemClock, now: () => systemClock.now() + 7_200_000 };
    const provider = await providerOfEntry('vertex', entryOf(), { env: NOWHERE, clock });
    const { kind, text } = failureOf(await provider.chat(callOf('chat', chatBody('good'))));
    expect([kind, text]).toEqual([
      'credentials',
      expect.stringContaining('The clock of this machine is 120 minutes ahead; correct it.'),
    ]);
  });
});

describe('configuration', () => {
  test('endpoints are derived from the location, and Vertex AI prices apply', async () => {
    expect(['global', 'us', 'europe-west1'].map(vertexUrl)).toEqual([
      'https://aiplatform.googleapis.com',
      'https://aiplatform.us.rep.googleapis.com',
      'https://europe-west1-aiplatform.googleapis.com',
    ]);
    const env = { ...NOWHERE, GOOGLE_CLOUD_PROJECT: 'p' };
    for (const location of ['global', 'eu', 'us-central1'])
      expect(await instanceOfEntry('vertex', { google: { location } }, env)).toMatchObject({
        baseUrl: vertexUrl(location),
        listedAs: 'vertex',
        local: false,
      });
  });

  test.each([
    [{}, 'type vertex requires a project; set `google.project`, or GOOGLE_CLOUD_PROJECT'],
    [{ google: { project: 'p', location: 'Europe West' } }, '`Europe West` is not a location'],
    [{ google: { project: 'p', credentials: 'none.json' } }, 'none.json does not exist; correct the path'],
    [{ google: { project: 'p' }, api_key: 'k-1' }, 'type vertex has no key; set `google.credentials`'],
  ])('rejects %j', async (entry, expected) => {
    const [problem, ...others] = await problems({ providers: { vertex: entry } }, { env: NOWHERE });
    expect([problem, others]).toEqual([expect.stringContaining(expected), []]);
  });
});
