import { expect, test } from 'vitest';
import { s3Headers, s3Url } from '#gateway/evaluation/datasets/sources/s3.ts';
import { chooseHubFiles } from '#gateway/evaluation/datasets/sources/hub-files.ts';
import { useGateway, useOwnGateways } from '../../api/use-gateway.ts';
import { HUB_COMMIT, startDatasetSources } from './dataset-sources.ts';

const { url, otherUrl: other, requests } = await startDatasetSources();

const gateway = useGateway();
const open = useOwnGateways();
const COLUMNS = { examples: 'text', ground_truth: 'label' };

const imported = async (body: object, ask = gateway().ask) => {
  const answer = await ask('POST', '/api/v1/datasets/import', body);
  return { status: answer.status, body: answer.body, message: String(answer.body.error?.message ?? '') };
};
const rowsOf = async (id: string) => {
  const rows = await Array.fromAsync(gateway().context.jobs.datasets.rows(id));
  return rows.flatMap((chunk) => chunk.rows);
};

test('a file is imported from a URL, with redirects, renamed columns and tags', async () => {
  for (const path of ['/a.csv', '/typed', '/moved.csv']) {
    const { status, body } = await imported({ source: url + path, columns: COLUMNS, tags: ['web'] });
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({
        columns: ['examples', 'ground_truth'],
        row_count: 2,
        source: url + path,
        tags: ['web'],
      }),
    ]);
    expect(await rowsOf(body.id)).toEqual([
      { examples: 'Good', ground_truth: 'POSITIVE' },
      { examples: 'Bad', ground_truth: 'NEGATIVE' },
    ]);
  }
  const named = await imported({ source: `${url}/page`, filename: 'x.csv' });
  expect(named.message).toBe('The dataset has no rows.');
});

test.each([
  ['/page', 'its content type is "text/html". Set `filename`, e.g. data.csv.'],
  ['/none.csv', 'returned status 404.'],
  ['/loop.csv', 'redirects more than 5 times.'],
  ['/metadata.csv', 'http://169.254.169.254/latest.csv is not allowed.'],
  ['/cut.csv', 'Cannot read '],
  ['/large.csv', 'The dataset exceeds the maximum of 1048576 bytes.'],
])('a URL that cannot be imported is rejected with a reason: %s', async (path, message) => {
  const before = (await gateway().ask('GET', '/api/v1/datasets/')).body.total;
  const answer = await imported({ source: url + path, columns: COLUMNS });
  expect([answer.status, answer.message]).toEqual([
    path === '/large.csv' ? 413 : 422,
    expect.stringContaining(message),
  ]);
  expect((await gateway().ask('GET', '/api/v1/datasets/')).body.total).toBe(before);
});

test('users cannot import from private addresses, even through a host name', async () => {
  const { ask, request } = await open();
  await ask('POST', '/v1/users', { user_id: 'ada' });
  const { key } = (await ask('POST', '/v1/keys', { user_id: 'ada' })).body;
  for (const source of [`${url}/a.csv`, `${other}/a.csv`, 's3://bucket/a.csv']) {
    const answer = await request('/api/v1/datasets/import', {
      method: 'POST',
      body: JSON.stringify({ source, s3: { endpoint: url } }),
      headers: { Authorization: `Bearer ${String(key)}`, 'Content-Type': 'application/json' },
    });
    expect([answer.status, answer.text]).toEqual([422, expect.stringMatching(/public address/)]);
  }
});

test.each(['file:///etc/passwd', 'data:text/csv,a', 'gopher://127.0.0.1/a', 'unix:/tmp/x', 'no url'])(
  'importing from a hub or store at %s is rejected',
  async (endpoint) => {
    for (const [source, setting] of [
      ['hf:o/d', 'hf'],
      ['s3://bucket/a.csv', 's3'],
    ] as const) {
      const { status, message } = await imported({ source, [setting]: { endpoint } });
      expect([status, message]).toEqual([422, expect.stringContaining(`${setting}.endpoint must be a URL`)]);
    }
  },
);

test('a hub split is imported from all its files, at one commit, with label names', async () => {
  requests.length = 0;
  await gateway().ask('PUT', '/api/v1/settings/secrets/hub', { value: 'hf_token' });
  const hf = { endpoint: url, secret_key_name: 'hub' };
  const columns = { examples: 'text', ground_truth: 'label' };
  const { status, body } = await imported({ source: 'hf:o/d', hf: { ...hf, split: 'test' }, columns });
  expect([status, body]).toEqual([
    201,
    expect.objectContaining({
      source: `hf:o/d@${HUB_COMMIT} (default, test)`,
      filename: 'o-d-default-test.parquet',
    }),
  ]);
  const rows = await rowsOf(body.id);
  expect(rows).toEqual([...rows.slice(0, 3), ...rows.slice(0, 3)]);
  expect(rows.slice(0, 3)).toEqual([
    { examples: 'Good', ground_truth: 'positive', topics: ['film', 'food'], stars: 5 },
    { examples: 'Bad', ground_truth: 'negative', topics: [], stars: 1 },
    { examples: 'So so', ground_truth: null, topics: ['food'], stars: 3 },
  ]);
  const tokens = requests.map(({ path, headers }) => [path, headers.authorization ?? null] as const);
  expect(new Set(tokens.filter(([path]) => path !== '/cdn').map(([, token]) => token))).toEqual(
    new Set(['Bearer hf_token']),
  );
  // The download host does not receive the token.
  expect(tokens.filter(([path]) => path === '/cdn')).toEqual([
    ['/cdn', null],
    ['/cdn', null],
  ]);

  const broken = await imported({ source: 'hf:o/d', hf: { ...hf, split: 'broken' }, columns });
  expect(broken.message).toMatch(/^default\/broken\/0000\.parquet does not have the hash that the hub lists/);
  const several = await imported({ source: 'hf:o/d', hf, columns });
  expect(several.message).toBe('hf:o/d has several splits. Set `hf.split` to one of: broken, test, train.');
  const missing = await imported({ source: 'hf:o/none', hf });
  expect(missing.message).toMatch(/^The hub has no dataset o\/none with the revision refs\/convert\/parquet/);
});

test('dataset files in a hub repository are found by their usual names', () => {
  const files = [
    'data/train-00000-of-00002.parquet',
    'data/train-00001-of-00002-ab12.parquet',
    'de/test.parquet',
  ];
  const all = [...files, 'README.md', 'x/y/z.parquet'].map((path) => ({ path, size: 1, hash: '' }));
  const choose = (config?: string, split?: string) =>
    chooseHubFiles(all, { source: 'hf:o/d', config, split, isConverted: false });
  expect(choose()).toEqual({ config: 'default', split: 'train', files: all.slice(0, 2) });
  expect(choose('de')).toMatchObject({ config: 'de', split: 'test' });
  expect(() => choose('fr')).toThrow('hf:o/d has no config "fr". Set `hf.config` to one of: de, default.');
  expect(() =>
    chooseHubFiles([], { source: 'hf:o/d', config: undefined, split: undefined, isConverted: false }),
  ).toThrow(
    'hf:o/d has no Parquet files at this revision. Omit `hf.revision` to use the files that the hub generates.',
  );
});

test('S3 objects are read with both URL styles, and only requests to their host are signed', async () => {
  const urlOf = (options: object): string => s3Url('s3://my-bucket/a b/ä+.csv', options).href;
  expect(urlOf({})).toBe('https://my-bucket.s3.us-east-1.amazonaws.com/a%20b/%C3%A4%2B.csv');
  expect(urlOf({ region: 'eu-west-1', pathStyle: true })).toBe(
    'https://s3.eu-west-1.amazonaws.com/my-bucket/a%20b/%C3%A4%2B.csv',
  );
  expect(urlOf({ endpoint: 'http://store:9000/base/' })).toBe(
    'http://store:9000/base/my-bucket/a%20b/%C3%A4%2B.csv',
  );
  expect(urlOf({ endpoint: 'http://store:9000', pathStyle: false })).toBe(
    'http://my-bucket.store:9000/a%20b/%C3%A4%2B.csv',
  );
  expect(() => s3Url('s3://b', {})).toThrow('Use s3://bucket/key.');
  const keys = { accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: 'token' };
  const object = s3Url('s3://my-bucket/a.csv', {});
  const headersOf = s3Headers(object, { keys }, () => 0);
  expect(headersOf(new URL('https://elsewhere/a.csv'))).toEqual({});
  expect(headersOf(object)).toMatchObject({
    'x-amz-security-token': 'token',
    authorization: expect.stringContaining('Credential=id/19700101/us-east-1/s3/aws4_request'),
  });
  const denied = await imported({ source: 's3://bucket/a.csv', s3: { endpoint: url } });
  expect(denied.message).toMatch(
    /returned AccessDenied \(status 403\) for \/bucket\/a\.csv\. The bucket is in the region eu-west-1; set `s3\.region`\.$/,
  );
});
