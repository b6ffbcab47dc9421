import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { AzureOpenAI } from 'openai';
import { afterAll, expect } from 'vitest';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import { REPLY } from '../../runtime/targets/gateway/test-provider.ts';
import { createKey } from './chat.ts';
import { AS_MASTER } from './config.ts';
import { shareGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const start = shareGateways();
const [azure, bedrock, vertex] = [
  await startFixture('azure'),
  await startFixture('bedrock'),
  await startFixture('vertex'),
];
const folder = mkdtempSync(join(tmpdir(), 'encoderfile-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const credentials = join(folder, 'account.json');
writeFileSync(credentials, await (await fetch(`${vertex.url}/account`)).text());

const SECRETS = ['hush-of-an-application-1', 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'];
const config = {
  providers: {
    azure: {
      api_base: azure.url,
      api_version: '2024-10-21',
      deployments: { 'gpt-4o': 'mine' },
      entra: { tenant_id: 't', client_id: 'c', client_secret: SECRETS[0], authority: azure.url },
    },
    bedrock: {
      api_base: bedrock.url,
      aws: { region: 'us-east-1', access_key_id: 'AKIDFIXTURE', secret_access_key: SECRETS[1] },
    },
    vertex: {
      api_base: vertex.url,
      google: { project: 'project-1', location: 'europe-west1', credentials },
    },
  },
};
const messages = [{ role: 'user' as const, content: 'Hello' }];
const MODELS = [
  'azure:gpt-4o',
  'bedrock:amazon.good-v1:0',
  'bedrock:us.anthropic.good',
  'vertex:good',
  'vertex:claude-good@1',
];

verifiesGateway('gateway:clouds', async (arm) => {
  const api = await start(arm, { config });
  const apiKey = await createKey(api, { user_id: 'clouds' });
  const openai = new OpenAI({ baseURL: `${api.url}/v1`, apiKey, maxRetries: 0 });
  const anthropic = new Anthropic({ baseURL: api.url, apiKey, maxRetries: 0 });
  for (const model of MODELS) {
    const whole = await openai.chat.completions.create({ model, messages });
    expect(whole.choices[0]?.message.content, model).toBe(REPLY);
    const chunks = openai.chat.completions.stream({ model, messages });
    expect((await chunks.finalChatCompletion()).choices[0]?.message.content, model).toBe(REPLY);
    const events = anthropic.messages.stream({ model, messages, max_tokens: 9 });
    expect(await events.finalText(), model).toBe(REPLY);
  }
  const { body: usage } = await api.get('/v1/users/clouds/usage', AS_MASTER);
  const rows = usage as { status: string; prompt_tokens: number }[];
  expect(rows).toHaveLength(3 * MODELS.length);
  expect(rows.every((row) => row.status === 'success' && row.prompt_tokens > 10)).toBe(true);
  const failed = await api.post(
    '/v1/chat/completions',
    { model: 'azure:absent', messages },
    { authorization: `Bearer ${apiKey}` },
  );
  expect([failed.status, failed.body]).toMatchObject([404, { error: { code: 'model_not_found' } }]);
  for (const secret of SECRETS) expect(JSON.stringify([failed.body, usage])).not.toContain(secret);
});

verifiesGateway('gateway:clients:azure', async (arm) => {
  const api = await start(arm, { config });
  const apiKey = await createKey(api, { user_id: 'azure-clients' });
  const apiVersion = '2024-10-21';
  const client = new AzureOpenAI({ endpoint: api.url, apiKey, apiVersion, maxRetries: 0 });
  for (const model of MODELS) {
    const whole = await client.chat.completions.create({ model, messages });
    expect(whole.choices[0]?.message.content, model).toBe(REPLY);
    const chunks = client.chat.completions.stream({ model, messages });
    expect((await chunks.finalChatCompletion()).choices[0]?.message.content, model).toBe(REPLY);
  }
  for (const model of ['azure:e5', 'bedrock:amazon.titan-embed-text-v2:0', 'vertex:e5']) {
    const { data } = await client.embeddings.create({ model, input: ['a', 'bc'] });
    expect(
      data.map(({ embedding }) => embedding[0]),
      model,
    ).toEqual([1, 2]);
  }
});
