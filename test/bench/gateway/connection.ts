import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Target } from './contestant.ts';
import { chatRequest } from './messages.ts';

/** In milliseconds from the request. */
export interface Timing {
  /** Until the first byte of the body. */
  readonly first: number;
  /** Until its end. */
  readonly whole: number;
}

export interface Connection {
  /** Sends a request over again, as soon as the answer before is there. Rejects unless it is answered with 200. */
  readonly ask: (request: Buffer) => Promise<Timing>;
  /** Sends a request and resolves as soon as the answer begins. */
  readonly begin: (request: Buffer) => Promise<void>;
  readonly close: () => void;
}

const PATH = '/v1/chat/completions';

export function requestTo({ port, model, headers }: Target, name: string, stream = false): Buffer {
  const body = chatRequest(model(name), stream);
  const all = {
    host: `127.0.0.1:${port}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all).map(([header, value]) => `${header}: ${value}\r\n`);
  return Buffer.from(`POST ${PATH} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

/** HTTP/1.1 with the least that can be done: clients share the processors with what is measured. */
export async function openConnection({ port }: Pick<Target, 'port'>): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  const answers = readAnswers(socket);
  return {
    async ask(request) {
      const started = performance.now();
      const { first, whole } = answers.expect();
      socket.write(request);
      return { first: (await first) - started, whole: (await whole) - started };
    },
    async begin(request) {
      const { first, whole } = answers.expect();
      whole.catch(() => {});
      socket.write(request);
      await first;
    },
    close: () => void socket.destroy(),
  };
}

interface Expected {
  readonly first: Promise<number>;
  readonly whole: Promise<number>;
}

const LAST_CHUNK = Buffer.from('0\r\n\r\n');

function readAnswers(socket: Socket): { readonly expect: () => Expected } {
  let first = Promise.withResolvers<number>();
  let whole = Promise.withResolvers<number>();
  let head = '';
  /** Bytes of the body that are still to come; undefined where its end is marked. */
  let left: number | undefined;
  let inBody = false;

  const fail = (error: Error): void => {
    first.reject(error);
    whole.reject(error);
  };
  const take = (chunk: Buffer): void => {
    let body = chunk;
    if (!inBody) {
      head += chunk.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      if (!head.startsWith('HTTP/1.1 200')) return fail(new Error(head.slice(0, 1000)));
      const length = /\r\ncontent-length: *(\d+)/i.exec(head.slice(0, end + 2))?.[1];
      left = length === undefined ? undefined : Number(length);
      body = chunk.subarray(chunk.length - (head.length - end - 4));
      inBody = true;
    }
    if (body.length === 0) return;
    const now = performance.now();
    first.resolve(now);
    if (left !== undefined) left -= body.length;
    if (left === undefined ? body.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK) : left <= 0)
      whole.resolve(now);
  };
  socket.on('data', take);
  socket.on('error', fail);
  socket.on('close', () => fail(new Error(`The connection was closed. ${head.slice(0, 300)}`)));
  return {
    expect() {
      [first, whole] = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
      [head, left, inBody] = ['', undefined, false];
      return { first: first.promise, whole: whole.promise };
    },
  };
}
