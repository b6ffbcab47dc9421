import { expect, test } from 'vitest';
import { createFetcher } from '#gateway/evaluation/datasets/sources/fetcher.ts';
import { s3Url } from '#gateway/evaluation/datasets/sources/s3.ts';

test('unknown and private host names return the same error after the same time', async () => {
  const fetcher = createFetcher({ local: false, signal: new AbortController().signal });
  const refusal = async (host: string) => {
    const startedAt = performance.now();
    const error: unknown = await fetcher
      .get(new URL(`http://${host}/a.csv`))
      .catch((thrown: unknown) => thrown);
    const { message, code, reason } = error as { message: string; code: string; reason: string };
    return {
      code,
      reason,
      message: message.replaceAll(host, 'NAME'),
      isDelayed: performance.now() - startedAt > 950,
    };
  };
  const [missing, own, ...others] = await Promise.all(
    ['nothing.invalid', 'localhost', 'a..b', `${'x'.repeat(64)}.invalid`].map(refusal),
  );
  expect(missing).toEqual({
    code: 'InputError',
    reason: 'private_address',
    message: 'http://NAME does not have a public address, which is required.'.replace('NAME', 'NAME/a.csv'),
    isDelayed: true,
  });
  for (const other of [own, ...others]) expect(other).toEqual(missing);
  await fetcher.close();
});

test.each([
  'x@127.0.0.1:39101/',
  'a.b',
  'a/b',
  'a#',
  'a?',
  'A',
  '-a',
  'a-',
  ' a',
  'a\n',
  'x'.repeat(60),
  '[::1]',
  'a:1',
])('the region %j is rejected', (region) => {
  expect(() => s3Url('s3://bucket/key.csv', { region })).toThrow(
    expect.objectContaining({ code: 'InputError', message: expect.stringContaining('s3.region') }),
  );
});

test('an endpoint or bucket that results in an invalid URL causes a request error', () => {
  for (const endpoint of ['https://a b', 'nonsense', 'https://exa%mple', 'https://[::1'])
    for (const pathStyle of [true, false])
      expect(() => s3Url('s3://bucket/key.csv', { endpoint, pathStyle })).toThrow(
        expect.objectContaining({ code: 'InputError' }),
      );
  expect(s3Url('s3://bucket/key.csv', { region: 'eu-central-1' }).host).toBe(
    'bucket.s3.eu-central-1.amazonaws.com',
  );
});
