import { expect, test } from 'vitest';
import { treeUsage } from '#core/limits/tree-usage.ts';
import { readProcessTable } from '#platform/process-tree/process-table.ts';

test.skipIf(process.platform === 'win32')(
  'this process is in the table, with its parent, memory and CPU time',
  async () => {
    const rows = await readProcessTable();
    const own = rows?.find(({ pid }) => pid === process.pid);
    expect(own?.parent).toBe(process.ppid);
    const { rss } = process.memoryUsage();
    expect((own?.memory ?? 0) / rss).toBeGreaterThan(0.5);
    expect((own?.memory ?? 0) / rss).toBeLessThan(2);
    const { user, system } = process.cpuUsage();
    expect(Math.abs((own?.seconds ?? 0) - (user + system) / 1e6)).toBeLessThan(2);
    expect(treeUsage(rows ?? [], [process.ppid]).get(process.ppid)?.processes).toBeGreaterThan(1);
  },
);
