import type { Server as Http1Server } from 'node:http';
import type { Http2Server } from 'node:http2';
import type { Socket } from 'node:net';
import { afterPoll } from '#platform/after-poll.ts';

/**
 * The first bytes of every HTTP/2 connection, which no HTTP/1.1 request can start with:
 * https://www.rfc-editor.org/rfc/rfc9113#section-3.4
 */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

export interface ProtocolSwitch {
  /** Passes a new connection to the server of its protocol; a connection that sends nothing in time is closed. */
  readonly take: (socket: Socket) => void;
  /** Closes connections whose protocol is still unknown after `lingerMs`. */
  readonly close: (lingerMs: number) => void;
}

export function createProtocolSwitch(
  servers: { readonly http1: Http1Server; readonly http2: Http2Server },
  timeout: number,
): ProtocolSwitch {
  const undecided = new Set<Socket>();
  return {
    take(socket) {
      // A connection can fail at any time; its owner will notice.
      socket.on('error', () => {});
      undecided.add(socket);
      const giveUp = setTimeout(() => socket.destroy(), timeout);
      const decided = (): void => {
        clearTimeout(giveUp);
        undecided.delete(socket);
      };
      socket.once('close', decided);

      let seen = Buffer.alloc(0);
      socket.on('data', function onData(chunk: Buffer) {
        seen = Buffer.concat([seen, chunk]);
        const start = seen.subarray(0, PREFACE.length);
        const isHttp2 = start.equals(PREFACE.subarray(0, start.length));
        if (isHttp2 && start.length < PREFACE.length) return;
        decided();
        socket.off('data', onData);
        socket.pause();
        socket.unshift(seen);
        if (isHttp2) {
          // The server reads data that has already arrived by itself.
          servers.http2.emit('connection', socket);
        } else {
          // As Node's own server does: it decides by the request whether a client that closes its half has disconnected.
          socket.allowHalfOpen = true;
          servers.http1.emit('connection', socket);
          socket.resume();
        }
      });
    },
    close(lingerMs) {
      const destroyAll = (): void => {
        for (const socket of undecided) socket.destroy();
      };
      // A process that was not scheduled in time first reads what arrived meanwhile.
      if (undecided.size > 0) setTimeout(() => void afterPoll().then(destroyAll), lingerMs);
    },
  };
}
