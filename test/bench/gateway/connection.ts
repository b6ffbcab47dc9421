import { openRawConnection, rawPost } from '../measure/raw-connection.ts';
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
  /** Sends a request over again, as soon as the answer before is there. Rejects unless it is answered. */
  readonly ask: (request: Buffer) => Promise<Timing>;
  /** Sends a request and resolves as soon as the answer begins. */
  readonly begin: (request: Buffer) => Promise<void>;
  readonly close: () => void;
}

const PATH = '/v1/chat/completions';

export const requestTo = ({ port, model, headers }: Target, name: string, stream = false): Buffer =>
  Buffer.from(rawPost(port, PATH, headers, chatRequest(model(name), stream)));

export async function openConnection({ port }: Pick<Target, 'port'>): Promise<Connection> {
  const connection = await openRawConnection(port);
  return {
    async ask(request) {
      const started = performance.now();
      const { first, whole } = await connection.ask(request).whole;
      return { first: first - started, whole: whole - started };
    },
    begin: async (request) => void (await connection.ask(request).begun),
    close: connection.close,
  };
}
