import { Type } from 'typebox';
import type { ManagerContext } from '../../context.ts';
import { callerOfRequest } from '../env.ts';
import type { Route } from '#serve/http/route.ts';
import type { ManagerHttpParts } from '../parts.ts';
import { wholeNumberOf, wordOf } from '#serve/http/query.ts';
import { answerOf, wholeNumber } from '#serve/http/openapi/describe.ts';
import { logLine, logsBody } from '../schemas/admin.ts';
import { logLineView } from '../views/server-view.ts';
import { serverOfPath } from './admin.ts';
import { SERVER_NAME } from './operations.ts';
import type { LogLine, ServerLogs } from '../../supervisor/managed-server.ts';

const LINES = { min: 0, max: 100_000, fallback: 100 };
const LINES_TYPE = 'application/x-ndjson';
const EVENTS_TYPE = 'text/event-stream';
/** Interval between empty lines, well below the minute after which proxies close idle connections. */
const KEEP_ALIVE_MS = 15_000;

/** `GET /api/v1/admin/servers/{name}/logs`: a server's stderr, with the manager's messages about it. */
export function logRoutes(
  { kernel, supervisor }: ManagerContext,
  { guards, route }: ManagerHttpParts,
): readonly Route[] {
  return [
    route({
      method: 'get',
      path: '/api/v1/admin/servers/:name/logs',
      guard: guards.admin('named'),
      id: 'getServerLogs',
      tag: 'Admin',
      summary: 'Get the last lines of a server’s log.',
      description:
        'With `follow=true`, the response is a stream with one JSON object per line, which continues with new log lines as they are written. Empty lines keep the connection open. With `Accept: text/event-stream`, each object is an event.',
      parameters: [
        SERVER_NAME,
        {
          name: 'lines',
          in: 'query',
          description: 'Number of existing lines to return.',
          example: LINES.fallback,
          schema: wholeNumber(LINES.min, LINES.max, LINES.fallback),
        },
        {
          name: 'follow',
          in: 'query',
          description: 'Whether to keep the response open and stream new lines.',
          example: false,
          schema: Type.Boolean({ default: false }),
        },
      ],
      answer: answerOf('The lines.', logsBody, { lines: [EXAMPLE] }),
      otherAnswers: [{ mediaType: LINES_TYPE, schema: logLine, examples: { line: EXAMPLE } }],
      errors: [404, 422],
      run: (c) => {
        const caller = callerOfRequest(c);
        const { logs, name } = serverOfPath(supervisor, c.req.param('name'));
        const lines = wholeNumberOf(c, 'lines', LINES);
        const follow = wordOf(c, 'follow', ['false', 'true'], 'false') === 'true';
        // A HEAD request would never end a stream, because its client does not read the body.
        if (!follow || c.req.method === 'HEAD') {
          return { lines: logs.last(lines).map(logLineView) };
        }
        const ending = new AbortController();
        const signal = AbortSignal.any([c.req.raw.signal, ending.signal]);
        // The stream ends when the manager stops; otherwise, a graceful shutdown would wait for it.
        kernel.lifecycle.changed(signal).then(
          () => ending.abort(),
          () => undefined,
        );
        const isEvents = (c.req.header('Accept') ?? '').toLowerCase().includes(EVENTS_TYPE);
        c.header('Content-Type', isEvents ? EVENTS_TYPE : LINES_TYPE);
        c.header('Cache-Control', 'no-store');
        c.header('X-Accel-Buffering', 'no');
        const onEnd = (): void => ending.abort();
        const canRead = (): boolean => caller.canUse(name);
        const format = isEvents ? 'events' : 'ndjson';
        return c.body(
          followLogs(logs, { lines, format, keepAliveMs: KEEP_ALIVE_MS, canRead, signal, onEnd }),
        );
      },
    }),
  ];
}

const EXAMPLE = { at: '2026-01-31T12:00:00.123456Z', source: 'server', text: 'listening' };

interface FollowOptions {
  /** Number of existing lines to send first. */
  readonly lines: number;
  /** Interval after which an empty line is sent, so that proxies do not close an idle connection. */
  readonly keepAliveMs: number;
  /** Called before each line; the stream ends when it returns false. */
  readonly canRead: () => boolean;
  /** Aborting it ends the stream. */
  readonly signal: AbortSignal;
  /** The stream's format: JSON Lines or server-sent events. */
  readonly format?: LogFormat | undefined;
  /** Called when the stream has ended, including when its reader canceled it. */
  readonly onEnd?: (() => void) | undefined;
}

type LogFormat = 'ndjson' | 'events';

/** How to write a line, and what to send to keep the connection open. */
const FORMATS: Record<
  LogFormat,
  { readonly before: string; readonly after: string; readonly keepAlive: string }
> = {
  ndjson: { before: '', after: '\n', keepAlive: '\n' },
  events: { before: 'data: ', after: '\n\n', keepAlive: ':\n\n' },
};

/** Maximum number of lines buffered for a slow reader; additional lines are skipped. */
const MAX_BUFFERED = 1000;

/** Streams new log lines. @internal Exported for tests only. */
export function followLogs(logs: ServerLogs, options: FollowOptions): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const { before, after, keepAlive: silence } = FORMATS[options.format ?? 'ndjson'];
  let stop = (): void => undefined;

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let skipped = 0;
        const write = (line: LogLine): void =>
          controller.enqueue(encoder.encode(before + JSON.stringify(logLineView(line)) + after));
        const keepAlive = setInterval(() => {
          if (options.canRead()) controller.enqueue(encoder.encode(silence));
          else end();
        }, options.keepAliveMs);
        const onLine = (line: LogLine): void => {
          if (!options.canRead()) {
            end();
            return;
          }
          if ((controller.desiredSize ?? 0) <= 0) {
            skipped += 1;
            return;
          }
          if (skipped > 0) write(gap(line.at, skipped));
          skipped = 0;
          write(line);
          keepAlive.refresh();
        };
        const unfollow = logs.follow(onLine);
        const end = (): void => {
          stop();
          controller.close();
        };
        stop = () => {
          clearInterval(keepAlive);
          unfollow();
          options.signal.removeEventListener('abort', end);
          options.onEnd?.();
        };
        logs.last(options.lines).forEach(write);
        options.signal.addEventListener('abort', end, { once: true });
        if (options.signal.aborted) end();
      },
      cancel() {
        stop();
      },
    },
    { highWaterMark: MAX_BUFFERED },
  );
}

const gap = (at: number, count: number): LogLine => ({
  at,
  source: 'manager',
  text: `${count} lines were skipped: the client reads too slowly.`,
});
