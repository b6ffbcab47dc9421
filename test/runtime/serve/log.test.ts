import { expect, test, vi } from 'vitest';
import { createLog } from '#serve/log.ts';

test('each line has an ISO 8601 timestamp with milliseconds', () => {
  vi.useFakeTimers();
  try {
    const lines: string[] = [];
    const log = createLog('info', { write: (line: string) => void lines.push(line) });
    const times = ['2026-02-28T23:59:59.007Z', '2026-02-28T23:59:59.999Z', '2026-03-01T00:00:00.000Z'];
    for (const time of times) {
      vi.setSystemTime(new Date(time));
      log.info('x');
    }
    expect(lines.map((line) => (JSON.parse(line) as { time: string }).time)).toEqual(times);
  } finally {
    vi.useRealTimers();
  }
});
