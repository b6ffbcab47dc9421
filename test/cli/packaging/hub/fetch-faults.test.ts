import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CONTENTS, downloadedFiles, useFetching } from '../../../helpers/use-fetching.ts';

const { cachedAt, fetched, hub, publish } = useFetching();
const blobs = (): string[] => readdirSync(cachedAt('blobs'));

test('the token is sent only to the hub', async () => {
  const repository = publish(CONTENTS);
  repository.access = 'private';
  hub().addToken('hf_good', 'acme/model');
  await fetched('hf:acme/model', { env: { HF_TOKEN: 'hf_good' } });
  const sent = (host: 'hub' | 'cdn') => hub().requests.filter((request) => request.host === host);
  expect(sent('hub').map(({ authorization }) => authorization)).toEqual(
    sent('hub').map(() => 'Bearer hf_good'),
  );
  expect(sent('cdn').map(({ authorization }) => authorization)).toEqual([undefined]);
});

test('a missing revision and a deleted file are reported by name', async () => {
  publish(CONTENTS);
  await expect(fetched('hf:acme/model@v9')).rejects.toThrow(
    'hf:acme/model has no revision "v9". Pass an existing branch, tag or commit.',
  );
  hub().plan(/resolve.*tokenizer/, { status: 404, headers: { 'x-error-code': 'EntryNotFound' } });
  await expect(fetched('hf:acme/model')).rejects.toThrow('tokenizer.json is no longer in hf:acme/model');
});

test.each([
  [429, { 'retry-after': '0' }],
  [503, {}],
  [500, {}],
])('a request that returns status %i is retried', async (status, headers) => {
  publish(CONTENTS);
  hub().plan(/revision/, { status, headers }, 2);
  hub().plan(/tree/, { status, headers }, 2);
  hub().plan(/cdn/, { status, headers }, 2);
  expect(downloadedFiles(await fetched('hf:acme/model'))).toHaveLength(3);
});

test('the number of retries is limited, and a long Retry-After is not honored', async () => {
  publish(CONTENTS);
  hub().plan(/revision\/main$/, { status: 503 }, 99);
  await expect(fetched('hf:acme/model')).rejects.toThrow(/returned status 503\. Retry later\.$/);
  expect(hub().requests).toHaveLength(6);
  hub().requests.length = 0;
  hub().plan(/hub .*main2/, { status: 429, headers: { ratelimit: '"api";r=0;t=299' } }, 99);
  await expect(fetched('hf:acme/model@main2')).rejects.toThrow(
    /rate-limited a request for hf:acme\/model@main2\. Retry in 299 seconds, or set HF_TOKEN for a higher limit\.$/,
  );
  expect(hub().requests).toHaveLength(1);
});

test('an interrupted download resumes where it stopped', async () => {
  const graph = Buffer.alloc(300_000, 'graph');
  publish({ ...CONTENTS, 'onnx/model.onnx': graph });
  hub().plan(/cdn/, { cutAfter: 100_000 });
  hub().plan(/cdn/, { cutAfter: 50_000 });
  const model = await fetched('hf:acme/model');
  expect(readFileSync(join(model.folder, 'onnx/model.onnx')).equals(graph)).toBe(true);
  const ranges = hub()
    .requests.filter(({ host }) => host === 'cdn')
    .map(({ range }) => range);
  expect(ranges).toHaveLength(3);
  expect(ranges[2]).toMatch(/^bytes=\d+-$/);
});

test('a download from a server without range support restarts', async () => {
  const graph = Buffer.alloc(300_000, 'graph');
  publish({ ...CONTENTS, 'onnx/model.onnx': graph });
  hub().plan(/cdn/, { cutAfter: 100_000 });
  hub().plan(/cdn/, { ignoresRanges: true });
  const model = await fetched('hf:acme/model');
  expect(readFileSync(join(model.folder, 'onnx/model.onnx')).equals(graph)).toBe(true);
});

test.each(['onnx/model.onnx', 'tokenizer.json'])(
  'a download of %s with wrong content is discarded',
  async (path) => {
    const wrong = publish(CONTENTS)
      .files()
      .find((file) => file.path === path);
    hub().plan(path.endsWith('.onnx') ? /cdn/ : /resolve-cache.*tokenizer/, { isWrong: true });
    await expect(fetched('hf:acme/model')).rejects.toThrow(
      `Discarded ${path} from hf:acme/model: its hash does not match the hash from the hub.`,
    );
    // The downloads of other files stop, but their received data is kept.
    const discarded = wrong?.sha256 ?? wrong?.oid ?? '';
    expect(blobs().filter((name) => name.startsWith(discarded))).toEqual([]);
    expect(existsSync(cachedAt('refs/main'))).toBe(false);
    expect(downloadedFiles(await fetched('hf:acme/model'))).toContain(path);
  },
);

test('a download that is longer than announced is discarded', async () => {
  publish(CONTENTS);
  hub().plan(/resolve-cache.*tokenizer/, { status: 200, body: 'x'.repeat(100_000) });
  await expect(fetched('hf:acme/model')).rejects.toThrow('Discarded tokenizer.json from hf:acme/model');
});

test('a request without a response times out, and a stalled download is retried', async () => {
  publish({ ...CONTENTS, 'onnx/model.onnx': Buffer.alloc(300_000, 'graph') });
  hub().plan(/revision/, { isSilent: true }, 3);
  await expect(fetched('hf:acme/model', { seconds: 0.05 })).rejects.toThrow(
    /^127\.0\.0\.1:\d+ sent no data for 0\.05 seconds\. Retry, or increase HF_HUB_ETAG_TIMEOUT\.$/,
  );
  hub().plan(/cdn/, { stallAfter: 100_000 });
  expect(downloadedFiles(await fetched('hf:acme/model', { seconds: 1 }))).toHaveLength(3);
});

test.each([
  ['<html>', /does not respond like a Hugging Face hub\. Check HF_ENDPOINT/],
  ['{"sha": "../../x"}', /its model response has no commit\. Check HF_ENDPOINT\.$/],
])('a server that returns %j is rejected as not being a hub', async (body, message) => {
  publish(CONTENTS);
  hub().plan(/revision/, { status: 200, body });
  await expect(fetched('hf:acme/model')).rejects.toThrow(message);
});

test('redirect loops are limited', async () => {
  publish(CONTENTS);
  const location = '/api/models/acme/model/revision/main';
  hub().plan(/revision/, { status: 302, headers: { location } }, 99);
  await expect(fetched('hf:acme/model')).rejects.toThrow('redirects in a loop');
});
