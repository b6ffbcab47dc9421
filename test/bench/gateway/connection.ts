import { openRawConnection, rawPost } from '../measure/raw-connection.ts';
import type { Target } from './contestant.ts';
import { chatRequest, type RequestContent } from './messages.ts';

/** In milliseconds from the start of the request. */
export interface Timing {
  /** Until the first byte of the body. */
  readonly first: number;
  /** Until the end of the body. */
  readonly whole: number;
}

export interface Connection {
  /** Sends requests one after another, each as soon as the previous response has arrived. Rejects if a request fails. */
  readonly ask: (request: Buffer) => Promise<Timing>;
  /** Sends a request and resolves as soon as the response begins. */
  readonly begin: (request: Buffer) => Promise<void>;
  readonly close: () => void;
}

const PATH = '/v1/chat/completions';

export const requestTo = (
  { port, model, headers }: Target,
  name: string,
  content: RequestContent = {},
): Buffer => Buffer.from(rawPost(port, PATH, headers, chatRequest(model(name), content)));

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
