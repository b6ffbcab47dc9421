import type { Kernel } from '../kernel.ts';
import { REQUEST_ID_HEADER } from '../request-id.ts';
import type { DirectRequest, DirectRoute } from './direct-route.ts';
import { readIncoming } from './read-incoming.ts';

export interface DirectJson {
  readonly bodyTimeoutMs: number;
  /** Resolves with the answer's JSON. */
  readonly answer: (request: JsonRequest) => Promise<string>;
}

interface JsonRequest extends Pick<DirectRequest, 'requestId' | 'caller' | 'parts'> {
  readonly body: Uint8Array;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}

/** How a direct route answers that takes JSON and gives JSON, which the server waits for before it ends. */
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
