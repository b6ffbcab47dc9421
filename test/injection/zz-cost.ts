import { openManager } from '../runtime/targets/manager/mcp/managed.ts';
import { serverSpec } from '../runtime/targets/manager/server-spec.ts';
import { Agent, request } from 'undici';
const policies = { off: { definitions: 'off', results: 'off' }, default: { definitions: 'warn', results: 'off' }, results: { definitions: 'warn', results: 'warn' } } as const;
const managed = await openManager({ servers: Object.entries(policies).map(([name, scan]) => serverSpec(name, 'echo', { scan })) });
await Promise.all(Object.keys(policies).map((n) => managed.running(n)));
const dispatcher = new Agent({ connections: 1, pipelining: 1 });
const message = (n: number) => 'The quick brown fox sends a report to the team, and reads the next page. '.repeat(Math.ceil(n / 74)).slice(0, n);
for (const size of [20, 1000, 10_000, 100_000]) {
  const body = JSON.stringify({ message: message(size) });
  const times: Record<string, number[]> = { off: [], default: [], results: [] };
  const count = size > 50_000 ? 40 : 200;
  for (let round = 0; round < 12; round++) {
    const names = Object.keys(policies); if (round % 2) names.reverse();
    for (const name of names) {
      const b = performance.now();
      for (let i = 0; i < count; i++) { const r = await request(`${managed.origin}/api/v1/servers/${name}/tools/echo`, { method: 'POST', body, headers: { 'content-type': 'application/json' }, dispatcher }); await r.body.text(); if (r.statusCode !== 200) throw new Error(String(r.statusCode)); }
      if (round > 1) times[name]!.push((performance.now() - b) / count);
    }
  }
  const median = (x: number[]) => x.toSorted((a, b) => a - b)[Math.floor(x.length / 2)]!;
  const ratio = (n: string) => median(times[n]!.map((t, i) => t / times['off']![i]!)).toFixed(3);
  console.log(size, Object.fromEntries(Object.entries(times).map(([k, v]) => [k, median(v).toFixed(3)])), 'default/off', ratio('default'), 'results/off', ratio('results'));
}
await dispatcher.close(); await managed.close();
