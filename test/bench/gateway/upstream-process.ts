import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { ANSWER, FIRST_EVENTS, FLOOD, FLOOD_END, FLOOD_PIECE, IDLE, LATER_EVENTS } from './messages.ts';

/** Sends the same response to every request, as cheaply as possible; `GET /count` returns the number of requests. */
const JSON_HEAD = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(ANSWER) };
const STREAM_HEAD = { 'content-type': 'text/event-stream' };

let count = 0;

function answer(body: string, outgoing: ServerResponse): void {
  count += 1;
  if (!body.includes('"stream":true')) {
    outgoing.writeHead(200, JSON_HEAD).end(ANSWER);
    return;
  }
  outgoing.writeHead(200, STREAM_HEAD).write(FIRST_EVENTS);
  if (body.includes(`"${FLOOD.model}"`)) flood(outgoing);
  else if (!body.includes(`"${IDLE}"`)) setImmediate(() => outgoing.end(LATER_EVENTS));
}

/** Writes as fast as the reader reads. */
function flood(outgoing: ServerResponse): void {
  let left: number = FLOOD.events;
  const go = (): void => {
    while (left > 0) {
      left -= FLOOD_PIECE.events;
      if (!outgoing.write(FLOOD_PIECE.text)) {
        outgoing.once('drain', go);
        return;
      }
    }
    outgoing.end(FLOOD_END);
  };
  go();
}

/** GoModel only serves models that its provider lists. */
const MODELS = JSON.stringify({
  object: 'list',
  data: ['chat', IDLE].map((id) => ({ id, object: 'model', created: 0, owned_by: 'bench' })),
});

function serve(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (incoming.url === '/v1/models') {
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end(MODELS);
    return;
  }
  if (incoming.method === 'GET') {
    outgoing.end(String(count));
    return;
  }
  let body = '';
  incoming.setEncoding('latin1');
  incoming.on('data', (chunk: string) => (body += chunk));
  incoming.on('end', () => answer(body, outgoing));
}

const server = createServer({ keepAliveTimeout: 600_000, requestTimeout: 0 }, serve);
server.listen(Number(process.argv[2]), '127.0.0.1');
