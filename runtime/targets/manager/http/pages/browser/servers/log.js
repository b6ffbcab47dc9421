/** @import { Place } from '../start-app.js' */
import { logView } from '../components/log-view.js';
import { ServerError } from '../server.js';
import { admin } from '../shared/api.js';
import { readCaller } from '../shared/caller.js';
import { serverHead } from './head.js';

const LINES = 500;

/**
 * The live log of a server.
 * @param {Place} place
 */
export async function showLog(place) {
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
        for await (const line of linesOf(response)) onLine(lineText(JSON.parse(line)));
        throw new ServerError('The log ended: the manager stopped, or the key was revoked.', 0);
      },
    }),
  );
}

/** @param {{ at: string, source: string, text: string }} line */
const lineText = ({ at, source, text }) => `${at.slice(11, 23)}  ${source.padEnd(7)}  ${text}`;

/**
 * The lines of a streamed response as they arrive, without empty ones.
 * @param {Response} response
 */
async function* linesOf(response) {
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
