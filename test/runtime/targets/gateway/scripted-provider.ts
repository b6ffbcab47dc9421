import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';
import type { FixtureProvider } from './fixture-provider.ts';

/** A provider with scripted responses, including ones that no real provider would send. */
export interface ScriptedProvider {
  readonly provider: FixtureProvider;
  /** An object is a buffered response; a list is the data of a stream's events. */
  says(answer: unknown): void;
  /** Encodes further responses and labels them accordingly; a wrong encoder makes them unreadable. */
  encodes(coding: string, encode: (bytes: Buffer) => Buffer): void;
  readonly asked: () => number;
}

/** Runs in the test process until the tests in the file have finished. */
export async function startScripted(): Promise<ScriptedProvider> {
  let answer: unknown = {};
  let asked = 0;
  let coding: string | undefined;
  let encode = (bytes: Buffer): Buffer => bytes;
  const server = createServer((request, response) => {
    asked += 1;
    request.resume();
    const isStream = Array.isArray(answer);
    response.writeHead(200, {
      'content-type': isStream ? 'text/event-stream' : 'application/json',
      ...(coding !== undefined && { 'content-encoding': coding }),
    });
    const dataOf = (event: unknown): string => (typeof event === 'string' ? event : JSON.stringify(event));
    const text = isStream
      ? (answer as unknown[]).map((event) => `data: ${dataOf(event)}\n\n`).join('')
      : JSON.stringify(answer);
    response.end(encode(Buffer.from(text)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const none = (): never => {
    throw new Error('It counts nothing.');
  };
  return {
    provider: {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      counts: none,
      last: none,
      release: none,
      happened: none,
    },
    says: (what) => void (answer = what),
    encodes(name, how) {
      coding = name;
      encode = how;
    },
    asked: () => asked,
  };
}
