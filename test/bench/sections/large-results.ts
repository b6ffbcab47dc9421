import { setTimeout as sleep } from 'node:timers/promises';
import { openHttpClient } from '../manager/http-client.ts';
import { startSource } from '../manager/source.ts';
import { memoryOf } from '../measure/process-memory.ts';
import { megabytes, print, printTable } from '../measure/print.ts';
import type { Section } from './section.ts';

const MEGABYTE = 1_000_000;
/** Result sizes: within the maximum of 32 MiB, and above it. */
const SIZES = [0, 10 * MEGABYTE, 50 * MEGABYTE];
const AT_ONCE = 4;
const SECONDS = 10;
const CLIENTS = 4;

/** Calls to a server while another one returns large results. */
export const largeResults: Section = {
  title: 'Calls of a server beside large results of another one',
  linuxOnly: true,
  async run() {
    const manager = await startSource({ good: 'echo.mjs', large: 'huge-result.mjs' });
    try {
      const client = openHttpClient(manager.port);
      const callLarge = async (bytes: number): Promise<number> => {
        const url = `http://127.0.0.1:${manager.port}/api/v1/servers/large/tools/huge`;
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ bytes }),
        });
        await response.arrayBuffer();
        return response.status;
      };
      const rows: string[][] = [];
      for (const bytes of SIZES) {
        const noiseEnds = new AbortController();
        let large = 0;
        const statuses = new Set<number>();
        const noise = Array.from({ length: bytes === 0 ? 0 : AT_ONCE }, async () => {
          while (!noiseEnds.signal.aborted) {
            statuses.add(await callLarge(bytes));
            large += 1;
          }
        });
        const times: number[] = [];
        const end = performance.now() + SECONDS * 1000;
        const clients = Array.from({ length: CLIENTS }, async () => {
          while (performance.now() < end) {
            const started = performance.now();
            await client.post('/api/v1/servers/good/tools/echo', '{"message":"x"}');
            times.push(performance.now() - started);
            await sleep(5);
          }
        });
        await Promise.all(clients);
        noiseEnds.abort();
        await Promise.all(noise);
        times.sort((a, b) => a - b);
        const at = (share: number): string =>
          (times[Math.floor((times.length - 1) * share)] ?? NaN).toFixed(0);
        rows.push([
          bytes === 0 ? 'none' : `${AT_ONCE} x ${bytes / MEGABYTE} MB`,
          String(large),
          [...statuses].join(' '),
          String(times.length),
          at(0.5),
          at(0.99),
          at(1),
          megabytes(memoryOf(manager.pid ?? 0).resident),
        ]);
      }
      print(`${CLIENTS} clients call the good server for ${SECONDS} s each.\n`);
      printTable(
        ['large results', 'received', 'status', 'good calls', 'p50 ms', 'p99 ms', 'max ms', 'resident'],
        rows,
      );
    } finally {
      await manager.stop();
    }
  },
};
