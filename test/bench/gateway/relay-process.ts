import { createServer, type ServerResponse } from 'node:http';
import { Pool } from 'undici';

/** Only forwards bodies: it checks no keys, parses nothing and records nothing. */
const [port, upstream] = process.argv.slice(2).map(Number);
const pool = new Pool(`http://127.0.0.1:${upstream}`, { connections: 64, pipelining: 1 });

function pass(path: string, body: Buffer, outgoing: ServerResponse): void {
  pool.dispatch(
    { path, method: 'POST', headers: { 'content-type': 'application/json' }, body },
    {
      // undici requires this handler.
      onRequestStart() {},
      onResponseStart: (_controller, status, headers) => void outgoing.writeHead(status, headers),
      onResponseData: (_controller, chunk) => void outgoing.write(chunk),
      onResponseEnd: () => void outgoing.end(),
      onResponseError: () => void outgoing.destroy(),
    },
  );
}

const server = createServer((incoming, outgoing) => {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => pass(incoming.url ?? '/', Buffer.concat(chunks), outgoing));
});
server.listen(port, '127.0.0.1');
