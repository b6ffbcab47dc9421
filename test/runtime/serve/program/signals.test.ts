import { expect, test } from 'vitest';
import { untilStopped } from '#serve/program/signals.ts';

test('Ctrl+Break, which Windows programs can send to each other, stops a server', async () => {
  const { stopped, forget } = untilStopped();
  process.emit('SIGBREAK', 'SIGBREAK');
  expect(await stopped).toBe('SIGBREAK');
  forget();
  expect(process.listenerCount('SIGBREAK')).toBe(0);
});
