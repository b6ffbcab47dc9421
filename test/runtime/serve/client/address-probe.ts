// Sends requests to instance metadata on each path of the programs to a URL that others can choose. It runs in a network
// namespace with a metadata service at 169.254.169.254 and a name server, and prints for each request whether it arrived.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readUrlHost, type UrlHost } from '#core/net/url-hosts.ts';
import { createFileFetcher } from '#platform/fetch-file.ts';
import { createJsonClient } from '#serve/client/json-client.ts';
import { discoverServer } from '#serve/oauth/discover.ts';
import { fetchKeySet } from '#serve/oauth/key-set.ts';
import { createOAuthHttp } from '#serve/oauth/oauth-http.ts';
import { createFetcher } from '#gateway/evaluation/datasets/sources/fetcher.ts';
import { createUpstream } from '#gateway/providers/adapters/upstream.ts';
import { loadDocument } from '#manager/upstream/api/fetch-document.ts';
import { createRemoteClient } from '#manager/upstream/remote/remote-client.ts';

const METADATA = '169.254.169.254';
const TIMEOUT_MS = 10_000;
const neverAborted = new AbortController().signal;

let arrived = 0;
let reached = 0;
const metadata = createServer((_request, response) => {
  arrived += 1;
  response.end('{"credentials": "secret"}');
});
const good = createServer((request, response) => {
  reached += 1;
  const target = new URL(request.url ?? '', 'http://good.test').searchParams.get('to');
  if (target === null) response.writeHead(200, { 'content-type': 'application/json' }).end('{"keys": []}');
  else response.writeHead(307, { location: encodeURI(target) }).end();
});
const listen = async (server: Server, port: number, host: string): Promise<number> => {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

/** Addresses of names; those of `rebind.test` alternate. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'good.test': ['127.0.0.1'],
  'meta.test': [METADATA],
  'mixed.test': ['127.0.0.1', METADATA],
};
let rebinds = 0;
const addressesOf = (name: string): readonly string[] =>
  name === 'rebind.test' ? [rebinds++ % 2 === 0 ? '127.0.0.1' : METADATA] : (NAMES[name] ?? []);

/** A name server for A records; all other types have no records. */
async function startNames(): Promise<void> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += length + 1;
    }
    const question = query.subarray(12, at + 5);
    const isA = query.readUInt16BE(at + 1) === 1;
    const found = isA ? addressesOf(labels.join('.').toLowerCase()) : [];
    const records = found.map((address) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
    );
    const head = Buffer.from([0, 0, 0x81, 0x80, 0, 1, 0, found.length, 0, 0, 0, 0]);
    query.copy(head, 0, 0, 2);
    socket.send(Buffer.concat([head, question, ...records]), from.port, from.address);
  });
  socket.bind(53, '127.0.0.1');
  await once(socket, 'listening');
}

const oauth = async (
  work: (http: ReturnType<typeof createOAuthHttp>) => Promise<unknown>,
): Promise<unknown> => {
  const http = createOAuthHttp({ allowsPrivate: true, allowsHttp: true, timeoutMs: TIMEOUT_MS });
  try {
    return await work(http);
  } finally {
    await http.close();
  }
};
const timeouts = { install: TIMEOUT_MS, init: TIMEOUT_MS, request: TIMEOUT_MS, shutdown: TIMEOUT_MS };

const WAITER = {
  isCancelled: () => false,
  markSent: () => undefined,
  isSent: () => true,
  onCancel: () => undefined,
  cancel: () => undefined,
};

/** Each path with the widest permission that a configuration can give. */
const PATHS: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  'manager: OpenAPI document': (document) => loadDocument({ document, headers: {}, timeoutMs: TIMEOUT_MS }),
  'manager: remote server or API': async (url) => {
    const client = createRemoteClient(
      { kind: 'remote', transport: 'http', url, headers: {} },
      timeouts,
      undefined,
    );
    try {
      const { body } = await client.request({ method: 'POST', headers: {}, signal: neverAborted });
      await body.dump();
    } finally {
      await client.destroy();
    }
  },
  'OAuth metadata': (url) => oauth((http) => discoverServer(http, url)),
  'OAuth token endpoint': (url) => oauth((http) => http.postForm(url, new URLSearchParams({ a: 'b' }))),
  'JSON Web Key Set': (url) => oauth((http) => fetchKeySet(http, url)),
  'registry and prices': async (url) => {
    const { origin, pathname, search } = new URL(url);
    const client = createJsonClient(origin, { maxRedirects: 3 });
    try {
      await client.ask({ method: 'GET', path: pathname + search });
    } finally {
      await client.close();
    }
  },
  'gateway: provider': async (url) => {
    const limits = { connectMs: TIMEOUT_MS, maxConnections: undefined };
    const upstream = createUpstream({ name: 'test', baseUrl: url, local: true, headers: {}, limits });
    try {
      const { body } = await upstream.request({ method: 'POST', path: '/', waiter: WAITER });
      await body.collect(1000);
    } finally {
      await upstream.close();
    }
  },
  'gateway: dataset': async (url) => {
    const fetcher = createFetcher({ local: true, signal: neverAborted });
    const { bytes } = await fetcher.get(new URL(url));
    for await (const _ of bytes);
  },
  'encoder: image': async (url) => {
    const hosts = [readUrlHost(new URL(url).host)].filter((host): host is UrlHost => host !== undefined);
    const fetcher = createFileFetcher({ hosts, maxBytes: 1000, timeoutMs: TIMEOUT_MS });
    try {
      await fetcher.fetch(url, neverAborted, () => undefined);
    } finally {
      await fetcher.close();
    }
  },
};

await startNames();
const port = await listen(good, 0, '127.0.0.1');
await listen(metadata, port, METADATA);
const hosts = [
  METADATA,
  `${METADATA}.`,
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '169.254.43518',
  '169。254。169。254',
  `[::ffff:${METADATA}]`,
  '[::ffff:a9fe:a9fe]',
  'meta.test',
  'META.test.',
  'mixed.test',
];
const attempt = async (work: () => Promise<unknown>): Promise<string> => {
  try {
    await work();
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

// Without a guard, the requests arrive: the machine of this test has such a service.
const controls: boolean[] = [];
for (const host of hosts) {
  arrived = 0;
  for (let tries = 0; tries < 2; tries += 1)
    await attempt(() => fetch(`http://${host}:${port}/`, { headers: { connection: 'close' } }));
  // The other address of this name also responds.
  if (host !== 'mixed.test') controls.push(arrived > 0);
}

const results: Record<string, unknown> = {};
for (const [name, send] of Object.entries(PATHS)) {
  reached = 0;
  await attempt(() => send(`http://${name.startsWith('encoder') ? '127.0.0.1' : 'good.test'}:${port}/`));
  const reachesGood = reached > 0;
  const leaks: string[] = [];
  for (const host of hosts) {
    for (const url of [
      `http://${host}:${port}/latest`,
      `http://127.0.0.1:${port}/?to=${encodeURIComponent(`http://${host}:${port}/latest`)}`,
    ]) {
      arrived = 0;
      await attempt(() => send(url));
      if (arrived > 0) leaks.push(url);
    }
  }
  [arrived, reached] = [0, 0];
  for (let count = 0; count < 8; count += 1) await attempt(() => send(`http://rebind.test:${port}/`));
  results[name] = { reachesGood, leaks, rebound: arrived, rebindReached: reached > 0 };
}
process.stdout.write(JSON.stringify({ controls, hosts, results }), () => process.exit(0));
