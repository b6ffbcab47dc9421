import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { SearchEncoderSetting } from '#manager/config/search-encoder.ts';
import { createMeanings } from '#manager/meanings/meanings.ts';
import { observeMeanings } from '#manager/meanings/metrics.ts';
import { requireEncoderFile } from '#manager/meanings/require-encoder-file.ts';
import { openSearchEncoder, type SearchEncoder } from '#manager/meanings/search-encoder.ts';
import { openVectorFile } from '#manager/meanings/vector-file.ts';
import { systemClock } from '#platform/clock.ts';
import { isRunning } from '#platform/files/temporary.ts';
import { builtExecutable } from '#test/helpers/built.ts';
import { localHttp } from '#test/helpers/local-http.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { testKernel } from '#test/helpers/test-kernel.ts';

const temp = useTempFolder();

function open(setting: SearchEncoderSetting, apiKey?: string): SearchEncoder {
  const encoder = openSearchEncoder(setting, { clock: systemClock, apiKey, onTrouble: () => undefined });
  onTestFinished(() => encoder.close());
  return encoder;
}

const send = (response: ServerResponse, body: unknown, status = 200): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** An encoder behind a URL that responds with these rows. */
async function respondingWith(rows: readonly unknown[]): Promise<SearchEncoder> {
  const { url } = await localHttp((_request, response) => send(response, { data: rows }));
  return open({ kind: 'url', url });
}

test('an executable that the manager starts computes vectors of length 1, and is stopped on close', async () => {
  const encoder = open({ kind: 'file', path: builtExecutable('static') });
  const [one, other] = await encoder.embed(['this was today', 'not the last day']);
  expect(one?.length).toBe(16);
  expect(Math.hypot(...(one ?? []))).toBeCloseTo(1, 5);
  expect(one).not.toEqual(other);
  await encoder.close();
  await expect(encoder.embed(['x'])).rejects.toThrow('The search encoder is closed.');
});

test('an executable of another type is reported with the reason', async () => {
  const encoder = open({ kind: 'file', path: builtExecutable('sentiment') });
  await expect(encoder.embed(['x'])).rejects.toThrow(/requires an embedding model/);
});

test.each(['', '/', '/v1', '/v1/embeddings'])('the URL of a running encoder can end with %j', async (end) => {
  const asked: unknown[] = [];
  const { url, seen } = await localHttp((request, response) => {
    asked.push(request.headers.authorization);
    send(response, { data: [{ index: 0, embedding: [3, 4] }] });
  });
  const [vector] = await open({ kind: 'url', url: `${url}${end}` }, 'secret').embed(['x']);
  expect(vector).toEqual(Float32Array.of(0.6, 0.8));
  expect(seen).toEqual(['/v1/embeddings']);
  expect(asked).toEqual(['Bearer secret']);
});

test('vectors are returned in the order of the texts, and a vector of zeros stays as it is', async () => {
  const encoder = await respondingWith([
    { index: 1, embedding: [0, 0] },
    { index: 0, embedding: [2, 0] },
  ]);
  expect(await encoder.embed(['a', 'b'])).toEqual([Float32Array.of(1, 0), Float32Array.of(0, 0)]);
});

test.each([
  ['no rows', []],
  ['too few rows', [{ index: 0, embedding: [1, 0] }]],
  ['a row without a vector', [{ index: 0, embedding: [1, 0] }, { index: 1 }]],
  [
    'the same index twice',
    [
      { index: 0, embedding: [1] },
      { index: 0, embedding: [1] },
    ],
  ],
  [
    'a negative index',
    [
      { index: 0, embedding: [1] },
      { index: -1, embedding: [1] },
    ],
  ],
  [
    'an index that is not whole',
    [
      { index: 0, embedding: [1] },
      { index: 0.5, embedding: [1] },
    ],
  ],
  [
    'two dimensions',
    [
      { index: 0, embedding: [1, 0] },
      { index: 1, embedding: [1] },
    ],
  ],
  ['an empty vector', [{ embedding: [] }, { embedding: [] }]],
  ['text in a vector', [{ embedding: ['x'] }, { embedding: [1] }]],
  ['a vector that is too long', [{ embedding: Array(8193).fill(1) }, { embedding: [1] }]],
])('a response with %s is an error', async (_what, rows) => {
  const encoder = await respondingWith(rows);
  await expect(encoder.embed(['a', 'b'])).rejects.toMatchObject({ code: 'UpstreamError' });
});

test('rejected texts are distinguished from failures, and redirects are not followed', async () => {
  let status = 422;
  const { url, seen } = await localHttp((_request, response) => {
    if (status === 302) response.writeHead(302, { location: '/elsewhere' }).end();
    else send(response, { error: { message: 'too long' } }, status);
  });
  const encoder = open({ kind: 'url', url });
  await expect(encoder.embed(['a'])).rejects.toMatchObject({ code: 'InputError', message: 'too long' });
  status = 503;
  await expect(encoder.embed(['a'])).rejects.toMatchObject({ code: 'UpstreamError', message: 'too long' });
  status = 302;
  await expect(encoder.embed(['a'])).rejects.toMatchObject({ message: 'HTTP status 302' });
  expect(seen).not.toContain('/elsewhere');
});

test('a missing file and a folder are errors with a way out', () => {
  expect(() => requireEncoderFile(join(temp(), 'none.encoder'))).toThrow(
    /none\.encoder does not exist\. Set it to an \.encoder file from `encoderfile build`/,
  );
  expect(() => requireEncoderFile(temp())).toThrow(/is not a file/);
});

test('an executable that never becomes ready is stopped on close, also while its vectors are awaited', async () => {
  const path = join(temp(), 'never.encoder');
  const pidFile = join(temp(), 'pid');
  writeFileSync(path, `#!/bin/sh\necho $$ >${pidFile}\nexec sleep 1000\n`, { mode: 0o755 });
  const kernel = testKernel();
  const meanings = createMeanings({
    encoder: open({ kind: 'file', path }),
    file: openVectorFile(join(temp(), 'vectors'), path, kernel.log),
    clock: systemClock,
    log: kernel.log,
    metrics: observeMeanings(kernel.metrics),
    startDelayMs: 0,
  });
  await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8')).toMatch(/^\d+\n$/);
  const pid = Number(readFileSync(pidFile, 'utf8'));
  expect(isRunning(pid)).toBe(true);
  await meanings.close();
  await expect.poll(() => isRunning(pid)).toBe(false);
});
