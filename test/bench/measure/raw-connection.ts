import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type RawAnswer, readRawAnswer } from './raw-answer.ts';

interface Asked {
  /** Time of the first body byte. */
  readonly begun: Promise<number>;
  readonly whole: Promise<RawAnswer>;
}

export interface RawConnection {
  /** Sends requests one after another. Its promises reject unless the status is 2xx. */
  readonly ask: (request: string | Buffer) => Asked;
  readonly isOpen: () => boolean;
  readonly close: () => void;
}

/** A minimal HTTP/1.1 client, because clients share the CPUs with the measured programs. */
export async function openRawConnection(port: number): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  const answers = readAnswers(socket);
  return {
    ask(request) {
      const asked = answers.expect();
      socket.write(request);
      return asked;
    },
    isOpen: () => !socket.destroyed,
    close: () => void socket.destroy(),
  };
}

/** A request with a JSON body, as text. */
export function rawPost(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): string {
  const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}\r\n`);
  const length = Buffer.byteLength(body);
  return (
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\n` +
    `content-length: ${length}\r\n${lines.join('')}\r\n${body}`
  );
}

function readAnswers(socket: Socket): { readonly expect: () => Asked } {
  let begun = Promise.withResolvers<number>();
  let whole = Promise.withResolvers<RawAnswer>();
  let answer = readRawAnswer();
  const fail = (error: Error): void => {
    begun.reject(error);
    whole.reject(error);
  };
  socket.on('data', (chunk: Buffer) => {
    const state = answer.take(chunk);
    if (state.failed !== undefined) fail(new Error(state.failed));
    if (state.first !== undefined) begun.resolve(state.first);
    if (state.whole) whole.resolve(state.whole);
  });
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('The connection was closed.')));
  return {
    expect() {
      [begun, whole] = [Promise.withResolvers<number>(), Promise.withResolvers<RawAnswer>()];
      // Not all callers wait for both.
      for (const { promise } of [begun, whole]) promise.catch(() => {});
      answer = readRawAnswer();
      return { begun: begun.promise, whole: whole.promise };
    },
  };
}
