import type { IncomingHttpHeaders } from 'node:http';
import {
  createDirectListener,
  type DirectListener,
  type DirectRequest,
  type DirectRoute,
} from '../../../serve/http/direct-route.ts';
import { readIncoming } from '../../../serve/http/read-incoming.ts';
import { writePieces } from '../../../serve/http/write-pieces.ts';
import type { CompletionAnswer, Endpoint } from '../completions/api.ts';
import { ENDPOINTS } from '../completions/endpoints/index.ts';
import type { GatewayContext } from '../context.ts';
import type { HeaderReader } from '../identity/api.ts';
import { type GatewayAppOptions, hostRulesOf } from './app-options.ts';
import { EVENT_STREAM, KEEP_ALIVE } from './event-stream.ts';
import { securityHeaders } from './security-headers.ts';
import { type Asking, createSignIn } from './sign-in.ts';

/** Requests to models as nearly all clients send them; the rest goes through the app. */
export function directCompletions(context: GatewayContext, options: GatewayAppOptions): DirectListener {
  const { kernel, clock, completions } = context;
  const { maxBodyBytes, bodyTimeoutMs } = options.server;
  const signIn = createSignIn(context);

  const answer = async (
    { incoming, outgoing, requestId, caller }: DirectRequest,
    endpoint: Endpoint,
  ): Promise<void> => {
    const startedAt = clock.now();
    const leaving = leavingOf(outgoing);
    const { signal } = leaving;
    const leave = kernel.lifecycle.enter((reason) => leaving.abort(reason));
    try {
      const bytes = await readIncoming(incoming, bodyTimeoutMs);
      const given = await completions.answer({
        endpoint,
        caller: (caller as Asking).payer,
        bytes,
        headers: readerOf(incoming.headers),
        requestId,
        startedAt,
        signal,
        setHeader: (name, value) => void outgoing.setHeader(name, value),
      });
      send(outgoing, given, leave);
    } catch (error) {
      leave();
      throw error;
    }
  };

  const routes = (Object.keys(ENDPOINTS) as Endpoint[]).map((endpoint): DirectRoute => ({
    route: endpoint,
    path: new RegExp(`^${endpoint}(?:\\?.*)?$`),
    maxBodyBytes,
    hostRules: hostRulesOf(options),
    signIn: ({ headers }) => signIn.asking(readerOf(headers)),
    answer: (request) => answer(request, endpoint),
  }));
  return createDirectListener(kernel, routes);
}

const HEADERS = securityHeaders('/v1');

function send(outgoing: DirectRequest['outgoing'], answer: CompletionAnswer, leave: () => void): void {
  if (answer.kind === 'whole') {
    const { json } = answer;
    const type = { 'Content-Type': 'application/json', 'Content-Length': json.length };
    outgoing.writeHead(200, { ...HEADERS, ...type });
    outgoing.end(json);
    leave();
    return;
  }
  outgoing.writeHead(200, { ...HEADERS, 'Content-Type': EVENT_STREAM });
  void writePieces(outgoing, answer.events, KEEP_ALIVE).finally(leave);
}

/** Aborted when the client leaves before it has the whole answer. */
function leavingOf(outgoing: DirectRequest['outgoing']): AbortController {
  const leaving = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) leaving.abort();
  });
  if (outgoing.destroyed) leaving.abort();
  return leaving;
}

const readerOf = (headers: IncomingHttpHeaders): HeaderReader => ({
  get: (name) => headers[name]?.toString(),
});
