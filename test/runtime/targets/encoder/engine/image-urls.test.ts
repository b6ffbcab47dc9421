import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { createByteBudget } from '#core/limits/byte-budget.ts';
import { readUrlHost, type UrlHost } from '#core/net/url-hosts.ts';
import { createImageUrls, type ImageUrlOptions } from '#encoder/engine/image-urls.ts';
import type { EngineInput } from '#encoder/engine/serving.ts';
import { localHttp } from '#test/helpers/local-http.ts';

function imageUrls(port: number, options: Partial<ImageUrlOptions> = {}) {
  const hosts = [readUrlHost(`127.0.0.1:${port}`) as UrlHost];
  const urls = createImageUrls({ maxBytes: 1000, ...options, hosts });
  onTestFinished(() => urls.close());
  return urls;
}

const texts = (inputs: readonly EngineInput[]): Promise<string[]> =>
  Promise.resolve(
    inputs.map((input) => ('image' in input ? Buffer.from(input.image).toString() : JSON.stringify(input))),
  );

test('URLs are replaced with their images in the order of the inputs, and others are kept', async () => {
  const { url, port, seen } = await localHttp(({ url: path = '' }, response) => {
    // The first images arrive last.
    setTimeout(() => response.end(`image ${path}`), path === '/a' ? 30 : 0);
  });
  const urls = imageUrls(port);
  const inputs = [
    { text: `${url}/a` },
    { text: 'base64' },
    { image: Buffer.from('bytes') },
    { text: `${url}/b` },
    { text: `${url}/a` },
  ];
  expect(await urls.withImages({ inputs }, texts)).toEqual([
    'image /a',
    '{"text":"base64"}',
    'bytes',
    'image /b',
    'image /a',
  ]);
  expect(seen).toHaveLength(3);
});

test('for a model that also reads texts, only URLs in place of an image are fetched', async () => {
  const { url, port, seen } = await localHttp((_request, response) => response.end('image'));
  const urls = imageUrls(port, { readsTexts: true });
  const inputs = [{ text: `${url}/a` }, { imageUrl: `${url}/b` }];
  expect(await urls.withImages({ inputs }, texts)).toEqual([`{"text":"${url}/a"}`, 'image']);
  expect(seen).toHaveLength(1);
});

test('the number of URLs, of downloads and of bytes is limited', async () => {
  let expected = 4;
  let most = 0;
  const open: ServerResponse[] = [];
  const { url, port, seen } = await localHttp((_request, response) => {
    open.push(response);
    most = Math.max(most, open.length);
    if (open.length !== expected) return;
    // A download too many would arrive in the meantime.
    setTimeout(() => {
      for (const each of open.splice(0)) each.end(Buffer.alloc(600));
    }, 20);
  });
  const memory = createByteBudget({ limit: 600 * 40 });
  const urls = imageUrls(port, { memory });
  const images = (count: number): { text: string }[] => Array.from({ length: count }, () => ({ text: url }));
  await expect(urls.withImages({ inputs: images(33) }, texts)).rejects.toThrow(
    'The request has 33 URLs of images, but the maximum is 32.',
  );
  expect(seen).toEqual([]);
  await urls.withImages({ inputs: images(32) }, () => {
    expect(memory.held()).toBe(600 * 32);
    return Promise.resolve();
  });
  expect(memory.held()).toBe(0);
  expect(most).toBe(4);
  expected = 16;
  await Promise.all(Array.from({ length: 8 }, () => urls.withImages({ inputs: images(4) }, texts)));
  expect(most).toBe(16);
  expected = 1;
  // Small requests can exceed a limit by an eighth, so this one is much lower.
  const little = imageUrls(port, { memory: createByteBudget({ limit: 100 }) });
  await little.withImages({ inputs: images(1) }, async () => {
    await expect(little.withImages({ inputs: images(1) }, texts)).rejects.toThrow(
      'Too many request bytes in memory',
    );
  });
});

test('one image that cannot be fetched ends its request, and stops its downloads', async () => {
  const all = Promise.withResolvers<void>();
  const { url, port, seen } = await localHttp(({ url: path }, response) => {
    if (path === '/missing') void all.promise.then(() => response.writeHead(404).end());
    if (seen.length === 4) all.resolve();
  });
  const memory = createByteBudget({ limit: 1e6 });
  const urls = imageUrls(port, { memory });
  const inputs = ['/a', '/b', '/missing', '/c', '/d', '/e'].map((path) => ({ text: `${url}${path}` }));
  await expect(urls.withImages({ inputs, indexOf: (at) => at + 10 }, texts)).rejects.toThrow(
    `Input 12 cannot be fetched: 127.0.0.1:${port} returned the status 404.`,
  );
  expect(seen.toSorted()).toEqual(['/a', '/b', '/c', '/missing']);
  const caller = new AbortController();
  const pending = urls.withImages({ inputs: inputs.slice(0, 1), signal: caller.signal }, texts);
  caller.abort();
  await expect(pending).rejects.toThrow('Client disconnected.');
  expect(memory.held()).toBe(0);
});
