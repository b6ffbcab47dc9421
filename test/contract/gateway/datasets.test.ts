import { Readable } from 'node:stream';
import { expect } from 'vitest';
import { readRows } from '#gateway/evaluation/datasets/read/read-rows.ts';
import {
  HUB_COMMIT,
  startDatasetSources,
} from '../../runtime/targets/gateway/evaluation/datasets/dataset-sources.ts';
import type { Answer, Api } from '../shared-services.ts';
import { createKey } from './chat.ts';
import { AS_MASTER, asKey } from './config.ts';
import { experimentOf, upload } from './lab-requests.ts';
import { shareGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const sources = await startDatasetSources();
const start = shareGateways();
const ORIGIN = 'https://app.example';
const FILES = { config: { cors_allow_origins: [ORIGIN] } };
const COLUMNS = { examples: 'text', ground_truth: 'label' };
const TWO_ROWS = [
  { examples: 'Good', ground_truth: 'POSITIVE' },
  { examples: 'Bad', ground_truth: 'NEGATIVE' },
];

const importFrom = (
  api: Api,
  source: string,
  more: object = {},
  headers: Record<string, string> = AS_MASTER,
): Promise<Answer> => api.post('/api/v1/datasets/import', { source, columns: COLUMNS, ...more }, headers);

const storeSecret = (api: Api, name: string, value: string): Promise<Answer> =>
  api.ask(`/api/v1/settings/secrets/${name}`, {
    method: 'PUT',
    headers: { ...AS_MASTER, 'content-type': 'application/json' },
    body: JSON.stringify({ value }),
  });

const datasetsOf = async (api: Api): Promise<number> =>
  (await api.get('/api/v1/datasets/', AS_MASTER)).body.total;

/** Downloads the file like a client. */
async function fileOf(api: Api, id: string, extension: string): Promise<Buffer> {
  const { body } = await api.get(`/api/v1/datasets/${id}/download?extension=${extension}`, AS_MASTER);
  const answer = await fetch(body.download_urls[0]);
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

const rowsOf = async (api: Api, id: string, extension = 'jsonl') =>
  await Array.fromAsync(readRows(`a.${extension}`, Readable.from([await fileOf(api, id, extension)])));

verifiesGateway('gateway:datasets:import-url', async (arm) => {
  const api = await start(arm, FILES);
  const { status, body } = await importFrom(api, `${sources.url}/moved.csv`, { tags: ['web'] });
  expect([status, body]).toEqual([
    201,
    expect.objectContaining({ row_count: 2, source: `${sources.url}/moved.csv`, tags: ['web'] }),
  ]);
  expect(await rowsOf(api, body.id)).toEqual(TWO_ROWS);
  const before = await datasetsOf(api);
  for (const [path, reason] of [
    ['/none.csv', 'returned status 404.'],
    ['/cut.csv', 'Cannot read '],
    ['/metadata.csv', 'http://169.254.169.254/latest.csv is not allowed.'],
  ] as const) {
    const refused = await importFrom(api, sources.url + path);
    expect([refused.status, refused.body.error.message]).toEqual([422, expect.stringContaining(reason)]);
  }
  expect(await datasetsOf(api)).toBe(before);
});

verifiesGateway('gateway:datasets:import-hub', async (arm) => {
  const api = await start(arm, FILES);
  const from = (hf: object): Promise<Answer> =>
    importFrom(api, 'hf:o/d', { hf: { endpoint: sources.url, ...hf } });
  const { status, body } = await from({ split: 'test' });
  expect([status, body.source]).toEqual([201, `hf:o/d@${HUB_COMMIT} (default, test)`]);
  const rows = await rowsOf(api, body.id);
  expect([rows.length, rows[0]]).toEqual([
    6,
    { examples: 'Good', ground_truth: 'positive', topics: ['film', 'food'], stars: 5 },
  ]);
  const broken = await from({ split: 'broken' });
  expect([broken.status, broken.body.error.message]).toEqual([
    422,
    expect.stringContaining('does not have the hash that the hub lists'),
  ]);
});

verifiesGateway('gateway:datasets:import-s3', async (arm) => {
  const api = await start(arm, FILES);
  await storeSecret(api, 'store', 'secret-access-key');
  const s3 = {
    endpoint: sources.url,
    region: 'eu-west-1',
    access_key_id: 'AKIDTEST',
    secret_key_name: 'store',
  };
  const { status, body } = await importFrom(api, 's3://bucket/b ä.csv', { s3 });
  expect([status, body.source]).toEqual([201, 's3://bucket/b ä.csv']);
  expect(await rowsOf(api, body.id)).toEqual(TWO_ROWS);
  const { path, headers } = sources.requests.at(-1) ?? {};
  expect([path, headers?.authorization]).toEqual([
    '/bucket/b%20%C3%A4.csv',
    expect.stringMatching(
      /^AWS4-HMAC-SHA256 Credential=AKIDTEST\/\d{8}\/eu-west-1\/s3\/aws4_request, ?SignedHeaders=host;.*, ?Signature=[\da-f]{64}$/,
    ),
  ]);
  const denied = await importFrom(api, 's3://bucket/none.csv', { s3: { endpoint: sources.url } });
  expect([denied.status, denied.body.error.message]).toEqual([
    422,
    expect.stringContaining('returned AccessDenied (status 403)'),
  ]);
});

verifiesGateway('gateway:datasets:import-private', async (arm) => {
  const api = await start(arm, FILES);
  const ada = asKey(await createKey(api, { user_id: 'ada' }));
  for (const source of [`${sources.url}/a.csv`, `${sources.otherUrl}/a.csv`]) {
    const refused = await importFrom(api, source, {}, ada);
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('public address')]);
  }
  expect((await api.get('/api/v1/datasets/', ada)).body.total).toBe(0);
});

verifiesGateway('gateway:datasets:upload-pages', async (arm) => {
  const api = await start(arm, FILES);
  const create = (origin: string): Promise<Answer> =>
    api.ask('/api/v1/uploads', {
      method: 'POST',
      headers: {
        ...AS_MASTER,
        origin,
        'tus-resumable': '1.0.0',
        'upload-length': '10',
        'upload-metadata': `filename ${btoa('a.csv')}`,
      },
    });
  const created = await create(ORIGIN);
  const exposed = created.headers.get('access-control-expose-headers')?.split(',');
  expect([created.status, exposed]).toEqual([
    201,
    expect.arrayContaining(['Location', 'Tus-Resumable', 'Upload-Offset', 'Upload-Expires']),
  ]);
  const path = new URL(created.headers.get('location') ?? '').pathname;
  const asked = {
    'access-control-request-method': 'PATCH',
    'access-control-request-headers': 'content-type,tus-resumable,upload-offset',
  };
  const preflight = await api.ask(path, { method: 'OPTIONS', headers: { origin: ORIGIN, ...asked } });
  expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
    204,
    asked['access-control-request-headers'],
  ]);
  expect(preflight.headers.get('access-control-allow-methods')).toContain('PATCH');
  const other = await create('https://evil.example');
  expect(other.headers.get('access-control-allow-origin')).toBe(null);
  // Without headers from a web page, it is a request of the upload protocol.
  const options = await api.ask('/api/v1/uploads', { method: 'OPTIONS' });
  expect([options.status, options.headers.get('tus-version')]).toEqual([204, '1.0.0']);
});

verifiesGateway('gateway:datasets:columns', async (arm) => {
  const api = await start(arm, FILES);
  const columns = encodeURIComponent(JSON.stringify({ examples: 'text' }));
  const whole = (query: string): Promise<Answer> =>
    api.ask(`/api/v1/datasets/?filename=a.csv&columns=${query}`, {
      method: 'POST',
      body: 'text,b\nx,SAFE\n',
      headers: { ...AS_MASTER, 'content-type': 'text/csv' },
    });
  const uploaded = await whole(columns);
  expect([uploaded.status, uploaded.body.columns]).toEqual([201, ['examples', 'b']]);
  const unknown = await whole(encodeURIComponent('{"examples":"z"}'));
  expect([unknown.status, unknown.body.error.message]).toEqual([
    422,
    'The dataset has no column "z". Columns: text, b.',
  ]);
  const created = await api.post(
    '/api/v1/experiments/',
    {
      name: 'renamed',
      dataset: uploaded.body.id,
      task_definition: { task: 'text-classification' },
      columns: { ground_truth: 'b' },
    },
    AS_MASTER,
  );
  expect(await rowsOf(api, created.body.dataset)).toEqual([{ examples: 'x', ground_truth: 'SAFE' }]);
  expect(await rowsOf(api, uploaded.body.id)).toEqual([{ examples: 'x', b: 'SAFE' }]);
});

verifiesGateway('gateway:datasets:formats', async (arm) => {
  const api = await start(arm, FILES);
  for (const [name, text] of [
    ['a.csv', 'examples;n\n"x; ä";1\n'],
    ['b.csv', 'sep=;\r\nexamples;n\r\n"x; ä";1\r\n'],
    ['c.tsv', 'examples\tn\nx; ä\t1\n'],
  ] as const) {
    const { body } = await upload(api, text, AS_MASTER, name);
    expect([name, await rowsOf(api, body.id)]).toEqual([name, [{ examples: 'x; ä', n: '1' }]]);
  }
  const rows = [
    { examples: 'a 🎉', ground_truth: ['x', 'y'], n: 1, share: 0.5, flag: true },
    { examples: 'b', ground_truth: null, n: null, share: -2.25, flag: false },
  ];
  const text = rows.map((row) => JSON.stringify(row)).join('\n');
  const { id } = (await upload(api, text, AS_MASTER, 'typed.jsonl')).body;
  expect(await rowsOf(api, id, 'jsonl')).toEqual(rows);
  expect((await fileOf(api, id, 'parquet')).toString('latin1', 0, 4)).toBe('PAR1');
  expect(await rowsOf(api, id, 'parquet')).toEqual(rows);
  expect((await fileOf(api, id, 'csv')).toString()).toMatch(/^examples,ground_truth,n,share,flag\r\na 🎉,/);
});

verifiesGateway('gateway:labels', async (arm) => {
  const api = await start(arm, FILES);
  const experiment = await experimentOf(api, AS_MASTER, { filename: 'Straße_1.csv' });
  const { dataset } = (await api.get(`/api/v1/experiments/${experiment}`, AS_MASTER)).body;
  const change = async (path: string, body: object): Promise<[number, unknown]> => {
    const headers = { ...AS_MASTER, 'content-type': 'application/json' };
    const answer = await api.ask(`/api/v1/${path}`, {
      method: 'PATCH',
      headers,
      body: JSON.stringify(body),
    });
    return [answer.status, answer.body];
  };
  const found = async (list: string, query: string): Promise<string[]> => {
    const { body } = await api.get(`/api/v1/${list}/?${query}`, AS_MASTER);
    return body.items.map(({ id }: { id: string }) => id);
  };
  const labels = { name: 'Größe 1', description: 'first TRY', tags: ['nightly', 'a b'] };
  expect(await change(`experiments/${experiment}`, labels)).toEqual([200, expect.objectContaining(labels)]);
  expect(await found('experiments', 'search=gr%C3%B6%C3%9Fe&tag=nightly&tag=a%20b')).toEqual([experiment]);
  expect(await found('experiments', 'search=try')).toEqual([experiment]);
  expect(await found('experiments', 'search=guards&tag=nightly')).toEqual([]);
  expect(await found('datasets', 'search=STRA%C3%9FE_1')).toEqual([dataset]);
  expect((await change(`datasets/${dataset}`, { filename: 'new.csv', tags: ['t'] }))[0]).toBe(200);
  expect(await found('datasets', 'search=new&tag=t')).toEqual([dataset]);
  expect((await change(`experiments/${experiment}`, { tags: ['a', 'a'] }))[0]).toBe(422);
  expect((await change(`workflows/none`, { name: 'a' }))[0]).toBe(404);
});
