import { spawn } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import { callMessage, INITIALIZE, INITIALIZED, textOf } from './messages.ts';

/** Forwards the text of a request to the first of its MCP servers, and returns the response: it checks no keys and logs nothing. */
const [port, servers, command = '', ...args] = process.argv.slice(2);
const children = Array.from({ length: Number(servers) }, () =>
  spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] }),
);
const [child] = children;
if (!child) throw new Error('a relay needs a server');
const waiting = new Map<number, (line: string) => void>();
createInterface({ input: child.stdout }).on('line', (line) => {
  const { id = 0 } = JSON.parse(line) as { readonly id?: number };
  waiting.get(id)?.(line);
  waiting.delete(id);
});
let id = 0;
const ask = (message: (id: number) => string, answer: (line: string) => void): void => {
  waiting.set((id += 1), answer);
  child.stdin.write(`${message(id)}\n`);
};

function pass(body: Buffer, outgoing: ServerResponse): void {
  const { message } = JSON.parse(body.toString()) as { readonly message: string };
  ask(
    (next) => callMessage(next, message),
    (line) => {
      const text = JSON.stringify(textOf(line));
      outgoing.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      });
      outgoing.end(text);
    },
  );
}

const server = createServer((incoming, outgoing) => {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => pass(Buffer.concat(chunks), outgoing));
});
ask(INITIALIZE, () => {
  child.stdin.write(`${INITIALIZED}\n`);
  server.listen(Number(port), '127.0.0.1');
});
// Also stops the MCP servers, which detect the end of their input.
process.on('SIGTERM', () => process.exit());
