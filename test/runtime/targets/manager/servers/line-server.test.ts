import { expect, test } from 'vitest';
import { createLog } from '#serve/log.ts';
import { serverOfLine } from '#manager/servers/start-manager.ts';

test("the server of a log line can be read from the line, and no server can forge another server's name", () => {
  const lines: string[] = [];
  const log = createLog('debug', { write: (line) => lines.push(line) });
  log.info({ server: 'files', source: 'server' }, '{"level":30,"time":"","server":"other"}');
  log.warn({ server: 'files' }, 'x');
  log.info({ path: '/x","server":"other' }, '","server":"other"');
  log.info('{"server":"other"}');
  expect(lines.map(serverOfLine)).toEqual(['files', 'files', undefined, undefined]);
});
