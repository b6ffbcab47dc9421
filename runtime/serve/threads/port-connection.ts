import { Duplex } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';

/** The ends of a client's connection, as sockets report them. */
export interface ConnectionEnds {
  readonly remoteAddress?: string | undefined;
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
  /** Whether the client uses TLS. */
  readonly encrypted?: boolean | undefined;
}

/** Allows the other side to send the next chunk. */
const MORE = 'more';
/** Ends the stream. */
const END = 'end';

type Message = Uint8Array | typeof MORE | typeof END;

/**
 * A connection between two threads over a message port. To the HTTP server, it is a connection from the
 * client that the other thread serves. At most one chunk is in transit, so that a slow reader slows down the
 * writer.
 */
export class PortConnection extends Duplex implements ConnectionEnds {
  readonly remoteAddress: string | undefined;
  readonly localAddress: string | undefined;
  readonly localPort: number | undefined;
  readonly encrypted: boolean;
  readonly #port: MessagePort;
  #written: (() => void) | undefined;
  /** Whether the other side waits for permission to send the next chunk. */
  #owesMore = false;
  #hasEnded = false;
  #isLost = false;

  constructor(port: MessagePort, ends: ConnectionEnds = {}) {
    super({ allowHalfOpen: true });
    this.remoteAddress = ends.remoteAddress;
    this.localAddress = ends.localAddress;
    this.localPort = ends.localPort;
    this.encrypted = ends.encrypted ?? false;
    this.#port = port;
    port.on('message', (message: Message) => this.#receive(message));
    port.on('close', () => this.#lost());
  }

  override _read(): void {
    if (!this.#owesMore) return;
    this.#owesMore = false;
    this.#port.postMessage(MORE);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    if (this.#isLost) {
      done(new Error('The connection is closed.'));
      return;
    }
    // Copied, because buffers share memory, all of which the message would contain.
    const bytes = Uint8Array.from(chunk);
    this.#written = done;
    this.#port.postMessage(bytes, [bytes.buffer]);
  }

  override _final(done: () => void): void {
    this.#port.postMessage(END);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#port.close();
    done(error);
  }

  #receive(message: Message): void {
    if (message === MORE) {
      const done = this.#written;
      this.#written = undefined;
      done?.();
    } else if (message === END) {
      this.#hasEnded = true;
      this.push(null);
    } else {
      this.#owesMore = true;
      // If there is space for more, the stream calls `_read`.
      this.push(Buffer.from(message.buffer, message.byteOffset, message.byteLength));
    }
  }

  /** The other side has destroyed the connection. What it has sent before its end can still be read. */
  #lost(): void {
    this.#isLost = true;
    if (!this.#hasEnded || this.#written) this.destroy();
  }
}
