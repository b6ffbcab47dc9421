import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { Hono } from 'hono';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { preferredCoding } from '#serve/http/compress-responses.ts';
import { createBodyReader } from '#serve/http/body.ts';
import { UNLIMITED_HOLD } from '#core/limits/byte-budget.ts';
import { answerIncoming } from '#serve/http/exchange.ts';
import { type HttpListener, listenHttp } from '#serve/http/listen.ts';
import { httpShell } from '#serve/http/shell.ts';
import { testKernel } from '../../../helpers/test-kernel.ts';

const LARGE = { text: 'large '.repeat(10_000) };
const MAX_BODY_BYTES = 100_000;
const JSON_TYPE = { 'content-type': 'application/json' };

let listener: HttpListener;
beforeAll(async () => {
  const read = createBodyReader({ maxBodyBytes: MAX_BODY_BYTES });
  const routes = new Hono()
    .get('/large', (c) => c.json(LARGE, 200, { Vary: 'Origin' }))
    .get('/small', (c) => c.json({ text: 'small' }))
    .get('/tagged', (c) => c.json(LARGE, 200, { ETag: '"a"' }))
    .get('/picture', (c) => c.body(LARGE.text, 200, { 'Content-Type': 'image/png' }))
    .get('/events', (c) => {
      c.header('Content-Type', 'text/event-stream');
      return c.body(`data: ${LARGE.text}\n\n`);
    })
    .post('/echo', async (c) => c.json(await read(c, Type.Object({ text: Type.String() }))));
  const app = httpShell(testKernel());
  app.route('/', routes);
  listener = await listenHttp({
    app,
    hostname: '127.0.0.1',
    port: 0,
    portFlag: '--port',
    direct(incoming, outgoing) {
      if (incoming.url !== '/direct') return false;
      void answerIncoming(
        { incoming, outgoing, head: ['x-one', '1'], hold: () => UNLIMITED_HOLD },
        async (exchange) => {
          exchange.answer({ status: 200, headers: JSON_TYPE, body: JSON.stringify(LARGE) });
        },
      );
      return true;
    },
  });
});
afterAll(() => listener.close(0));

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
}

async function send(
  path: string,
  headers: Record<string, string>,
  { method = 'GET', body }: { readonly method?: string; readonly body?: Uint8Array | string } = {},
): Promise<Answer> {
  const request = httpRequest({ port: listener.port, path, method, headers, agent: false }).end(body);
  const [response]: IncomingMessage[] = await once(request, 'response');
  if (!response) throw new Error('no response');
  const chunks: Buffer[] = await response.toArray();
  return { status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) };
}

const accept = (value: string): Record<string, string> => ({ 'accept-encoding': value });

describe('responses', () => {
  test.each([
    ['gzip', zlib.gunzipSync],
    ['br', zlib.brotliDecompressSync],
    ['zstd', zlib.zstdDecompressSync],
  ] as const)(
    'a large response is compressed with %s, from the app and from direct routes',
    async (coding, decode) => {
      for (const path of ['/large', '/direct']) {
        const { headers, bytes } = await send(path, accept(coding));
        expect(headers['content-encoding'], path).toBe(coding);
        expect(headers['content-length']).toBe(String(bytes.length));
        expect(headers['vary']).toContain('Accept-Encoding');
        expect(JSON.parse(decode(bytes).toString())).toEqual(LARGE);
      }
    },
  );

  test('clients without Accept-Encoding get an uncompressed response with the same headers', async () => {
    for (const headers of [{}, accept('identity'), accept('gzip;q=0'), accept('compress')]) {
      const answer = await send('/large', headers);
      expect(answer.headers['content-encoding']).toBeUndefined();
      expect(answer.headers['vary']).toBe('Origin, Accept-Encoding');
      expect(JSON.parse(answer.bytes.toString())).toEqual(LARGE);
    }
    const direct = await send('/direct', {});
    expect(direct.headers).toMatchObject({ 'x-one': '1', vary: 'Accept-Encoding' });
    expect(direct.headers['content-length']).toBe(String(direct.bytes.length));
  });

  test.each(['/small', '/tagged', '/picture', '/events'])('%s is never compressed', async (path) => {
    const { status, headers } = await send(path, accept('gzip'));
    expect([status, headers['content-encoding'], headers['vary']]).toEqual([200, undefined, undefined]);
  });

  test('responses to requests with cookies and to HEAD are not compressed', async () => {
    const cookies = { ...accept('gzip'), cookie: 'a=b' };
    expect((await send('/large', cookies)).headers['content-encoding']).toBeUndefined();
    const head = await send('/large', accept('gzip'), { method: 'HEAD' });
    expect([head.status, head.headers['content-encoding'], head.bytes.length]).toEqual([200, undefined, 0]);
  });

  test.each([
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip;q=1.0, zstd;q=0.5', 'gzip'],
    ['GZIP ; Q=0.8', 'gzip'],
    ['*', 'zstd'],
    ['*;q=0, br', 'br'],
    ['zstd;q=0, *', 'gzip'],
    ['gzip;q=0.5, identity', undefined],
    ['gzip;q=x', undefined],
    ['', undefined],
  ])('Accept-Encoding "%s" results in %s', (header, coding) => {
    expect(preferredCoding(header)).toBe(coding);
  });
});

describe('requests', () => {
  const text = JSON.stringify({ text: 'é'.repeat(1000) });
  const post = (coding: string, body: Uint8Array | string, more = {}): Promise<Answer> =>
    send('/echo', { ...JSON_TYPE, 'content-encoding': coding, ...more }, { method: 'POST', body });

  test.each([
    ['gzip', zlib.gzipSync],
    ['X-GZIP', zlib.gzipSync],
    ['deflate', zlib.deflateSync],
    ['deflate', zlib.deflateRawSync],
    ['br', zlib.brotliCompressSync],
    ['zstd', zlib.zstdCompressSync],
  ] satisfies [string, (text: string) => Uint8Array][])(
    '%s bodies are decompressed, with a Content-Length and chunked',
    async (coding, encode) => {
      for (const more of [{}, { 'transfer-encoding': 'chunked' }]) {
        const { status, bytes } = await post(coding, encode(text), more);
        expect([status, bytes.toString()]).toEqual([200, text]);
      }
    },
  );

  test('the limit applies to the decompressed body', async () => {
    const gzip = promisify(zlib.gzip);
    const bomb = await gzip(Buffer.alloc(50 * MAX_BODY_BYTES, ' '));
    expect(bomb.length).toBeLessThan(MAX_BODY_BYTES);
    for (const [coding, body] of [
      ['gzip', bomb],
      ['br', zlib.brotliCompressSync(Buffer.alloc(50 * MAX_BODY_BYTES, ' '))],
      ['zstd', zlib.zstdCompressSync(Buffer.alloc(50 * MAX_BODY_BYTES, ' '))],
    ] as const) {
      const { status, bytes } = await post(coding, body);
      expect(status, coding).toBe(413);
      expect(bytes.toString()).toContain(`the maximum is ${MAX_BODY_BYTES} bytes`);
    }
  });

  test('an unknown encoding returns 415 with the supported encodings, and malformed data returns 400', async () => {
    const unknown = await post('compress', text);
    expect(unknown.status).toBe(415);
    expect(unknown.headers['accept-encoding']).toBe('gzip, deflate, br, zstd');
    expect(unknown.bytes.toString()).toBe(
      'Unsupported content encoding "compress". Send the body uncompressed, or use one of gzip, deflate, br, zstd.',
    );
    for (const body of [text, zlib.gzipSync(text).subarray(0, 30)]) {
      const broken = await post('gzip', body);
      expect([broken.status, broken.bytes.toString()]).toEqual([400, 'The body is not valid gzip.']);
    }
  });
});
