import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, expect } from 'vitest';
import { metric, untilBusy, untilIdle, WORK } from './busy.ts';
import type { Served } from './serving.ts';
import { verifiesServed } from './verifies.ts';

const running: Served[] = [];
afterEach(async () => {
  for (const served of running.splice(0)) await served.stop();
});

verifiesServed('mcp:cancelled', async (arm) => {
  const served = await arm.serve('sentiment');
  running.push(served);
  const url = `http://127.0.0.1:${served.httpPort}`;
  for (const leave of ['cancels', 'goes']) {
    const client = new Client({ name: 'contract', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
    const leaving = new AbortController();
    const params = { name: 'run_encoder', arguments: { inputs: WORK } };
    const outcome = client
      .callTool(params, undefined, { signal: leaving.signal })
      .catch((error: unknown) => error);
    await untilBusy(url);
    if (leave === 'cancels') leaving.abort();
    else await client.close();
    expect(await outcome).toBeInstanceOf(Error);
    await untilIdle(url);
    // Only completed requests are counted.
    expect(await metric(url, 'encoder_inputs_total'), leave).toBe(0);
    await client.close();
  }
});
