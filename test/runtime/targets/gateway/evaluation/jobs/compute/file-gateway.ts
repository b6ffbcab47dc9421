import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { sha256 } from '#platform/sha256.ts';
import { freePort } from '#test/helpers/ray.ts';

export interface ServedFile {
  readonly role: 'program' | 'encoder';
  readonly name: string;
  readonly path?: string;
  readonly bytes: Buffer;
  readonly platform?: string | null;
  /** Replaces the bytes in transit. */
  readonly sent?: Buffer;
}

/** Serves the files of a job as a gateway does, over a network that tests control. */
export interface FileGateway {
  readonly url: string;
  /** The requested ranges, by file name. */
  readonly ranges: readonly (readonly [name: string, start: number])[];
  /** The job results that workers have reported. */
  readonly ends: readonly unknown[];
  /** The next response ends after this many bytes. */
  cutAfter(bytes: number): void;
  /** Rejects all further downloads with this status and text. */
  refuse(status: number, code: string, message: string): void;
  /** Listens only after `listen` is called. */
  close(): Promise<void>;
  listen(): Promise<void>;
}

export async function startFileGateway(files: readonly ServedFile[]): Promise<FileGateway> {
  const ranges: [string, number][] = [];
  const ends: unknown[] = [];
  let [cut, refusal]: [number | undefined, { status: number; body: object } | undefined] = [
    undefined,
    undefined,
  ];
  const listed = files.map(({ role, name, path, bytes, platform }) => ({
    role,
    name,
    path: path ?? `/missing/${name}`,
    sha256: sha256(bytes),
    bytes: bytes.length,
    platform: platform ?? null,
  }));
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url = '', headers } = request;
    const json = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (headers.authorization !== 'Bearer the-token') return json(401, { detail: 'Invalid worker token' });
    if (url === '/api/v1/worker/files') return json(200, { files: listed });
    if (url === '/api/v1/worker/end') {
      ends.push(JSON.parse(await text(request)));
      response.writeHead(204).end();
      return;
    }
    if (refusal) return json(refusal.status, refusal.body);
    const at = listed.findIndex((file) => url.endsWith(file.sha256));
    const { name, bytes, sent = bytes } = files[at] as ServedFile;
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    const [start, end] = [Number(first), Number(last) + 1];
    ranges.push([name, start]);
    response.writeHead(206, { 'content-length': end - start });
    if (cut === undefined) response.end(sent.subarray(start, end));
    else response.write(sent.subarray(start, start + cut), () => response.destroy());
    cut = undefined;
  };
  const server = createServer((request, response) => void respond(request, response));
  const port = await freePort();
  const listen = async (): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ranges,
    ends,
    cutAfter: (bytes) => void (cut = bytes),
    refuse: (status, code, message) => void (refusal = { status, body: { error: { code, message } } }),
    listen,
    async close() {
      if (!server.listening) return;
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
