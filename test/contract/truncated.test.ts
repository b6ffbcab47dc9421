import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { post } from './http-client.ts';
import { shareServers } from './shared-servers.ts';
import { verifies, verifiesServed } from './verifies.ts';

const serve = shareServers();
const folder = useTempFolder();
const LONG = 'word '.repeat(500);

verifiesServed('grpc:truncated', async (arm) => {
  const { grpcPort } = await serve(arm, 'sentiment');
  const url = `http://127.0.0.1:${grpcPort}/encoder.SequenceClassification/Predict`;
  const { status, headers } = await post(url, { inputs: ['a', LONG] });
  expect(status).toBe(200);
  expect(headers).toMatchObject({ 'x-truncated-inputs': '1', 'x-truncated-indexes': '1' });
  expect((await post(url, { inputs: ['a'] })).headers).toMatchObject({ 'x-truncated-inputs': '0' });
});

verifiesServed('mcp:truncated', async (arm) => {
  const { url } = await serve(arm, 'sentiment');
  const client = new Client({ name: 'contract', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  try {
    const call = (args: Record<string, unknown>) => client.callTool({ name: 'run_encoder', arguments: args });
    const { _meta: meta, structuredContent } = await call({ inputs: [LONG, 'a'] });
    expect(meta).toEqual({ truncated_inputs: [0] });
    expect(Object.keys(structuredContent as object)).toEqual(['results', 'model_id']);
    expect((await call({ inputs: ['a'] }))._meta).toBeUndefined();
    await expect(call({ inputs: [LONG], truncate: false })).rejects.toThrow(/Input 0 is too long/);
  } finally {
    await client.close();
  }
});

verifies('infer:truncated', async (arm) => {
  const warned = await arm.run('sentiment', ['infer', 'a', LONG]);
  expect([warned.exitCode, warned.stderr.trim()]).toEqual([
    0,
    "Warning: 1 of 2 texts was truncated to 128 tokens, this model's maximum.",
  ]);
  const input = join(folder(), 'texts.txt');
  writeFileSync(input, `${LONG}\na\n${LONG}\n`);
  const file = await arm.run('sentiment', ['infer', '--input', input]);
  expect([file.exitCode, file.stderr.trim()]).toEqual([
    0,
    "Warning: 2 of 3 texts were truncated to 128 tokens, this model's maximum.",
  ]);
});
