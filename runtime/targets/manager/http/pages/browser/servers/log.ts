import type { Static } from 'typebox';
import type { logLine } from '#manager/http/schemas/admin.ts';
import type { Place } from '#serve/http/pages/browser/start-app.ts';
import { logView } from '#serve/http/pages/browser/components/log-view.ts';
import { ServerError } from '#serve/http/pages/browser/server.ts';
import { admin, readCaller } from '../shared/caller.ts';
import { serverHead } from './head.ts';

type LogLine = Static<typeof logLine>;

const LINES = 500;

/** A server's live log. */
export async function showLog(place: Place) {
  const { root, params, session, signal } = place;
  const { name = '' } = params;
  const caller = await readCaller(session, signal);
  root.append(
    serverHead(place, 'log', caller),
    logView({
      name: `Log of ${name}`,
      signal,
      async follow(stop, onLine) {
        const response = await session.open(admin('servers', name, 'logs'), {
          query: { follow: true, lines: LINES },
          signal: stop,
        });
        for await (const line of linesOf(response)) onLine(lineText(JSON.parse(line) as LogLine));
        throw new ServerError(
          'The log stream was closed because the manager stopped or the key was revoked.',
          0,
        );
      },
    }),
  );
}

const lineText = ({ at, source, text }: LogLine) => `${at.slice(11, 23)}  ${source.padEnd(7)}  ${text}`;

/** Yields the lines of a streamed response as they arrive, skipping empty ones. */
async function* linesOf(response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
    if (done) return;
    const parts = `${rest}${value}`.split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) if (part !== '') yield part;
  }
}
