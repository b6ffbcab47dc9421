import { Type } from 'typebox';
import type { Operation } from '../../../../serve/http/openapi/operation.ts';
import type { ManagerContext } from '../../context.ts';
import { requireAdmin } from '../env.ts';
import { followLogs } from '../follow-logs.ts';
import { type HttpParts, type ManagerRoutes, newRoutes } from '../parts.ts';
import { wholeNumberOf, wordOf } from '../../../../serve/http/query.ts';
import { answerOf, wholeNumber } from '../../../../serve/http/openapi/describe.ts';
import { logLine, logsBody } from '../schemas/admin.ts';
import { logLineView } from '../views/server-view.ts';
import { serverOf } from './admin.ts';
import { serverName } from './operations.ts';

const [LEAST, MOST, USUAL] = [0, 100_000, 100];
const LINES_TYPE = 'application/x-ndjson';
/** Well below the minute after which proxies give up on silent connections. */
const KEEP_ALIVE_MS = 15_000;

/** `GET /api/v1/admin/servers/{name}/logs`: what a server wrote to its stderr, and what the manager says about it. */
export function logRoutes({ kernel, supervisor }: ManagerContext, { answer }: HttpParts): ManagerRoutes {
  const routes = newRoutes();

  routes.get('/api/v1/admin/servers/:name/logs', (c) => {
    const caller = requireAdmin(c);
    const { logs, name } = serverOf(supervisor, c.req.param('name'));
    const lines = wholeNumberOf(c, 'lines', { min: LEAST, max: MOST, fallback: USUAL });
    const follow = wordOf(c, 'follow', ['false', 'true'], 'false') === 'true';
    // Who asks for headers only reads no stream, and would never end it.
    if (!follow || c.req.method === 'HEAD') {
      return answer(c, 'Logs', { lines: logs.last(lines).map(logLineView) });
    }
    const ending = new AbortController();
    const signal = AbortSignal.any([c.req.raw.signal, ending.signal]);
    // Nobody would wait for a stream that does not end.
    kernel.lifecycle.changed(signal).then(
      () => ending.abort(),
      () => undefined,
    );
    c.header('Content-Type', LINES_TYPE);
    c.header('Cache-Control', 'no-store');
    c.header('X-Accel-Buffering', 'no');
    const onEnd = (): void => ending.abort();
    const mayRead = (): boolean => caller.mayUse(name);
    return c.body(followLogs(logs, { lines, keepAliveMs: KEEP_ALIVE_MS, mayRead, signal, onEnd }));
  });

  return { routes, operations: [LOGS] };
}

const LINE = { at: '2026-01-31T12:00:00.123456Z', source: 'server', text: 'listening' };

const LOGS: Operation = {
  method: 'get',
  path: '/api/v1/admin/servers/{name}/logs',
  id: 'getServerLogs',
  tag: 'Admin',
  summary: 'The last lines of a server’s log.',
  description:
    'With `follow=true` the answer does not end: it is one JSON object a line, as they come. Empty lines only keep the connection open.',
  parameters: [
    serverName,
    {
      name: 'lines',
      in: 'query',
      description: 'How many lines from before.',
      example: USUAL,
      schema: wholeNumber(LEAST, MOST, USUAL),
    },
    {
      name: 'follow',
      in: 'query',
      description: 'Whether to go on with lines as they come.',
      example: false,
      schema: Type.Boolean({ default: false }),
    },
  ],
  answer: answerOf('The lines.', logsBody, { lines: [LINE] }),
  otherAnswers: [{ mediaType: LINES_TYPE, schema: logLine, examples: { line: LINE } }],
  errors: [403, 404, 422],
};
