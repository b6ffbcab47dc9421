import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { ApiSettings, RemoteLaunch } from '#manager/config/spec.ts';
import { specOf } from '../spec.ts';

interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export interface RecordingServer {
  readonly origin: string;
  readonly requests: readonly RecordedRequest[];
}

type Respond = (request: RecordedRequest, response: ServerResponse) => void;

const JSON_TYPE = { 'content-type': 'application/json' };
export const respondJson = (response: ServerResponse, value: unknown, headers: object = {}): void =>
  void response.writeHead(200, { ...JSON_TYPE, ...headers }).end(JSON.stringify(value));

/** Starts a real HTTP server that records requests; it stops with the test. */
export async function startRecording(
  respond: Respond = (_request, response) => respondJson(response, {}),
): Promise<RecordingServer> {
  const requests: RecordedRequest[] = [];
  const server: Server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const request = { method, url, headers, body: Buffer.concat(chunks) };
      requests.push(request);
      respond(request, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** Settings of an API, with defaults for what a test does not set. */
export const apiSettings = (settings: Partial<ApiSettings> & Pick<ApiSettings, 'document'>): ApiSettings => ({
  baseUrl: undefined,
  origins: [],
  variables: {},
  include: ['*'],
  exclude: [],
  fixed: {},
  credentials: {},
  pathSlashes: [],
  refreshMs: 0,
  ...settings,
});

/** The specification of a server for an API. */
export const apiSpec = (
  settings: Partial<ApiSettings> & Pick<ApiSettings, 'document'>,
  launch: Partial<RemoteLaunch> = {},
): ReturnType<typeof specOf> => {
  const api = apiSettings(settings);
  return specOf({
    kind: 'remote',
    transport: 'openapi',
    url: api.baseUrl ?? 'http://api.example',
    headers: {},
    ...launch,
    api,
  });
};
