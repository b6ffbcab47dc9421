import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach } from 'vitest';

/** A classifier that counts its requests. */
export interface ModelServer {
  readonly url: string;
  /** Number of requests for each text. */
  readonly counts: ReadonlyMap<string, number>;
  /** Number of requests for a text that was requested before. */
  readonly repeated: () => number;
  /** Resolves after this many requests in total. */
  readonly asked: (texts: number) => Promise<void>;
  /** Suspends all responses until it is called with false. */
  readonly hold: (isHeld: boolean) => void;
  /** From now on, texts that contain `poison` get a response, too. */
  readonly cure: () => void;
  /** Resolves when a client has disconnected without waiting for a response. */
  readonly left: Promise<void>;
}

const FACTS = {
  model_id: 'counting',
  model_type: 'sequence_classification',
  id2label: { 0: 'NEGATIVE', 1: 'POSITIVE' },
};

/** Rejects texts that contain `poison`. Stopped after the test. */
export async function startModelServer(host = '127.0.0.1'): Promise<ModelServer> {
  const counts = new Map<string, number>();
  const held: (() => void)[] = [];
  const listeners: (() => void)[] = [];
  let [isHeld, isCured, total] = [false, false, 0];
  const left = Promise.withResolvers<void>();

  const classify = async (inputs: readonly string[]): Promise<object> => {
    for (const one of inputs) counts.set(one, (counts.get(one) ?? 0) + 1);
    total += inputs.length;
    for (const tell of listeners) tell();
    if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
    return { model_id: FACTS.model_id, results: inputs.map(scores) };
  };
  const answer = async (request: IncomingMessage): Promise<readonly [status: number, body: object]> => {
    if (request.url === '/model') return [200, FACTS];
    const { inputs } = JSON.parse(await text(request)) as { inputs: string[] };
    const isBad = !isCured && inputs.some((one) => one.includes('poison'));
    return isBad ? [422, { error: 'One text is poisoned.' }] : [200, await classify(inputs)];
  };
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [status, body] = await answer(request);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  const server = createServer((request, response) => {
    response.once('close', () => response.writableFinished || left.resolve());
    void respond(request, response);
  });
  server.listen(0, host);
  await once(server, 'listening');
  open.push(server);
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    counts,
    repeated: () => total - counts.size,
    async asked(texts) {
      if (total >= texts) return;
      await new Promise<void>((resolve) => listeners.push(() => total >= texts && resolve()));
    },
    hold(shouldHold) {
      isHeld = shouldHold;
      if (!shouldHold) for (const answer of held.splice(0)) answer();
    },
    cure: () => void (isCured = true),
    left: left.promise,
  };
}

const open: Server[] = [];

export function useModelServers(): void {
  afterEach(async () => {
    for (const server of open.splice(0)) {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }
  });
}

function scores(input: string): object {
  const score = input.includes('good') ? 0.75 : 0.25;
  return {
    top: [
      { index: 1, label: 'POSITIVE', score },
      { index: 0, label: 'NEGATIVE', score: 1 - score },
    ],
  };
}
