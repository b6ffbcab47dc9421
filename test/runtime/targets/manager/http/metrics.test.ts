import { expect, test } from 'vitest';
import { observeCalls } from '#manager/calls/metrics.ts';
import { bearer, keyOf } from '../access/key-of.ts';
import { serverSpec } from '../server-spec.ts';
import { openApi } from './open-api.ts';

test('a key that is limited to some tools sees only the metrics of these tools', async () => {
  const keys = [
    keyOf('mcpm_all'),
    keyOf('mcpm_echo', { tools: ['echo/echo'] }),
    keyOf('mcpm_other', { servers: ['other'] }),
  ];
  const scoped = await openApi({ servers: [serverSpec('echo', 'echo')], keys });
  try {
    const { kernel, supervisor } = scoped.managed.context;
    observeCalls(kernel.metrics, supervisor).onCall({
      server: 'echo',
      kind: 'tool',
      tool: 'echo',
      outcome: 'ok',
      seconds: 0.1,
    });
    const metricsFor = async (key: string): Promise<string> =>
      (await scoped.get('/metrics', { Authorization: bearer(key) })).text;
    expect(await metricsFor('mcpm_all')).toMatch(/^mcp_calls_total\{.*server="echo".*\} 1$/m);
    expect(await metricsFor('mcpm_echo')).toContain('server="echo"');
    const other = await metricsFor('mcpm_other');
    expect(other).not.toContain('server="echo"');
    expect(other).toContain('http_request_duration_seconds_count{');
    expect((await scoped.get('/metrics')).status).toBe(401);
  } finally {
    await scoped.close();
  }
});
