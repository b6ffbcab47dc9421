import type { Kernel } from '../kernel.ts';
import { REQUEST_ID_HEADER } from '../request-id.ts';
import type { DirectRequest, DirectRoute } from './direct-route.ts';
import { readIncoming } from './read-incoming.ts';

export interface DirectJson {
  readonly bodyTimeoutMs: number;
  /** Resolves with the JSON of the response. */
  readonly answer: (request: JsonRequest) => Promise<string>;
}

interface JsonRequest extends Pick<DirectRequest, 'requestId' | 'caller' | 'parts'> {
  readonly body: Uint8Array;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Answers a direct route with JSON input and output; the server waits for it before it stops. */
export const answerJson =
  ({ lifecycle }: Kernel, { bodyTimeoutMs, answer }: DirectJson): DirectRoute['answer'] =>
  async ({ incoming, outgoing, requestId, caller, parts }) => {
    const leaving = new AbortController();
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) leaving.abort();
    });
    const leave = lifecycle.enter();
    let json: string;
    try {
      const body = await readIncoming(incoming, bodyTimeoutMs);
      json = await answer({ requestId, caller, parts, body, signal: leaving.signal });
    } finally {
      leave();
    }
    outgoing.writeHead(200, {
      [REQUEST_ID_HEADER]: requestId,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(json),
    });
    outgoing.end(json);
  };
