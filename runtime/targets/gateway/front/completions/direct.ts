import type { IncomingHttpHeaders } from 'node:http';
import {
  createDirectListener,
  type DirectListener,
  type DirectRequest,
  type DirectRoute,
} from '../../../../serve/http/direct-route.ts';
import { readIncoming } from '../../../../serve/http/read-incoming.ts';
import { writePieces } from './write-pieces.ts';
import { REQUEST_ID_HEADER } from '../../../../serve/request-id.ts';
import type { CompletionAnswer, Endpoint } from '../../ask/completions/completion.ts';
import { ENDPOINTS } from '../../ask/completions/endpoints/index.ts';
import type { GatewayContext } from '../../context.ts';
import type { HeaderReader } from '../../accounts/identity/identity.ts';
import { type GatewayAppOptions, hostRulesOf } from '../app-options.ts';
import { EVENT_STREAM, KEEP_ALIVE } from './event-stream.ts';
import { securityHeaders } from '../http/security-headers.ts';
import { type Asking, createSignIn } from '../sign-in/sign-in.ts';

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
      send(outgoing, requestId, given, leave);
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

/** Names and values in turn: Node copies each header of an object, and looks at it twice. */
const HEAD = Object.entries(securityHeaders('/v1')).flat();

function send(
  outgoing: DirectRequest['outgoing'],
  requestId: string,
  answer: CompletionAnswer,
  leave: () => void,
): void {
  const head = [REQUEST_ID_HEADER, requestId, ...HEAD];
  if (answer.kind === 'whole') {
    const { json } = answer;
    head.push('Content-Type', 'application/json', 'Content-Length', String(json.length));
    outgoing.writeHead(200, head);
    outgoing.end(json);
    leave();
    return;
  }
  head.push('Content-Type', EVENT_STREAM);
  outgoing.writeHead(200, head);
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
