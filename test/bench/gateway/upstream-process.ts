import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { ANSWER, FIRST_EVENTS, IDLE, LATER_EVENTS } from './messages.ts';

/** Answers every request with the same, at as little cost of its own as can be; `GET /count` returns how many there were. */
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
  if (!body.includes(`"${IDLE}"`)) setImmediate(() => outgoing.end(LATER_EVENTS));
}

function serve(incoming: IncomingMessage, outgoing: ServerResponse): void {
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
