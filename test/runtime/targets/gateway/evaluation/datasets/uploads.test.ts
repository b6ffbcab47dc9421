import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { describeDatabases } from '../../databases.ts';
import { gatewayOn } from '../../api/open-gateway.ts';
import { encoded, formWith, MASTER, requestsTo } from '../workflows/workflow-requests.ts';

const BYTES = Buffer.from(`text,truth\n${'Some words of a row,label\n'.repeat(40_000)}`);
const TUS = { ...MASTER, 'Tus-Resumable': '1.0.0' };
const metadata = (values: Record<string, string>): string =>
  Object.entries(values)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    .join(',');
const NAMES = metadata({ filename: 'größe.csv', columns: '{"examples":"text","ground_truth":"truth"}' });

describeDatabases((database) => {
  const open = async () => {
    const { clock, ...state } = await database.start();
    const { request, context } = gatewayOn(state, clock);
    const create = (size: number, names = NAMES) =>
      request('/api/v1/uploads', {
        method: 'POST',
        headers: { ...TUS, 'Upload-Length': String(size), 'Upload-Metadata': names },
      });
    const begin = async (size = BYTES.length): Promise<string> =>
      new URL((await create(size)).headers.get('Location') ?? '').pathname;
    const send = (path: string, offset: number, body: Uint8Array<ArrayBuffer> | ReadableStream) =>
      request(path, {
        method: 'PATCH',
        body,
        headers: {
          ...TUS,
          'Content-Type': 'application/offset+octet-stream',
          'Upload-Offset': String(offset),
        },
        ...(body instanceof ReadableStream && { duplex: 'half' }),
      });
    const offsetOf = async (path: string): Promise<[number, string | null]> => {
      const answer = await request(path, { method: 'HEAD', headers: TUS });
      return [answer.status, answer.headers.get('Upload-Offset')];
    };
    return { clock, request, context, create, begin, send, offsetOf, db: state.store.db };
  };
  const part = (from: number, to?: number) => Uint8Array.from(BYTES.subarray(from, to));

  test('an upload resumes after a broken connection and becomes a dataset once its last byte arrives', async () => {
    const { request, context, begin, send, offsetOf } = await open();
    const path = await begin();
    expect(await offsetOf(path)).toEqual([200, '0']);
    const broken = new ReadableStream({
      start: (controller) => controller.enqueue(part(0, 700_000)),
      pull: (controller) => controller.error(new Error('gone')),
    });
    await send(path, 0, broken).catch(() => undefined);
    // Everything that arrived is stored, including the part after the last complete chunk.
    expect(await offsetOf(path)).toEqual([200, '700000']);
    const wrong = await send(path, 5, part(5, 9));
    expect([wrong.status, wrong.body.error.message]).toEqual([
      409,
      expect.stringContaining('does not continue at 5, but at 700000.'),
    ]);
    const tooMuch = await send(path, 700_000, Uint8Array.from([...part(700_000), 1]));
    expect([tooMuch.status, tooMuch.body.error.message]).toEqual([
      422,
      `The upload exceeds the ${BYTES.length} bytes declared in its \`Upload-Length\`.`,
    ]);
    const [, offset] = await offsetOf(path);
    const done = await send(path, Number(offset), part(Number(offset)));
    expect([done.status, done.headers.get('Upload-Offset')]).toEqual([204, String(BYTES.length)]);
    const { body } = await request(path, { headers: MASTER });
    const dataset = await request(`/api/v1/datasets/${String(body.dataset_id)}`, { headers: MASTER });
    expect(dataset.body).toMatchObject({ filename: 'größe.csv', row_count: 40_000, size: BYTES.length });
    const [first] = await Array.fromAsync(context.jobs.datasets.rows(body.dataset_id));
    expect(first?.rows[0]).toEqual({ examples: 'Some words of a row', ground_truth: 'label' });
    expect(await offsetOf(path)).toEqual([200, String(BYTES.length)]);
  });

  test('CORS allows the headers of the upload protocol', async () => {
    const origin = 'https://app.example';
    const { clock, ...state } = await database.start();
    const { request } = gatewayOn(state, clock, { server: { corsOrigins: [origin] } });
    const sent = ['Tus-Resumable', 'Upload-Length', 'Upload-Metadata', 'Upload-Offset', 'Content-Type'];
    for (const method of ['POST', 'HEAD', 'PATCH', 'DELETE']) {
      const { status, headers } = await request('/api/v1/uploads', {
        method: 'OPTIONS',
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': method,
          'Access-Control-Request-Headers': sent.join(', ').toLowerCase(),
        },
      });
      expect([status, headers.get('Access-Control-Allow-Origin')]).toEqual([204, origin]);
      expect(headers.get('Access-Control-Allow-Methods')?.split(',')).toContain(method);
      expect(headers.get('Access-Control-Allow-Headers')?.split(',')).toEqual(
        sent.map((name) => name.toLowerCase()),
      );
    }
    const created = await request('/api/v1/uploads', {
      method: 'POST',
      headers: { ...TUS, Origin: origin, 'Upload-Length': '5', 'Upload-Metadata': NAMES },
    });
    const exposed = created.headers.get('Access-Control-Expose-Headers')?.split(',') ?? [];
    const names = [...created.headers.keys()].filter((name) => /^(tus|upload)-|^location$/.test(name));
    expect(names).toHaveLength(5);
    expect(names.filter((name) => !exposed.some((one) => one.toLowerCase() === name))).toEqual([]);
    // Without preflight headers, the request belongs to the upload protocol.
    const options = await request('/api/v1/uploads', { method: 'OPTIONS' });
    expect([options.status, options.headers.get('Tus-Version')]).toEqual([204, '1.0.0']);
  });

  test('the last part can be sent again if it was stored without creating the dataset', async () => {
    const { context, begin, send, offsetOf } = await open();
    const path = await begin();
    const { datasets } = context.jobs;
    const upload = datasets.upload.bind(datasets);
    let isKilled = true;
    Object.assign(datasets, {
      upload: (given: Parameters<typeof upload>[0]) =>
        isKilled ? Promise.reject(new Error('killed')) : upload(given),
    });
    expect((await send(path, 0, part(0))).status).toBe(500);
    const [, offset] = await offsetOf(path);
    expect(Number(offset)).toBe(786_432);
    isKilled = false;
    expect((await send(path, 786_432, part(786_432))).status).toBe(204);
  });

  test('uploads expire after 24 hours without data, are limited in size and number, and fail if the dataset is invalid', async () => {
    const { clock, request, create, begin, send, offsetOf, db } = await open();
    const path = await begin();
    clock.advance(24 * 3_600_000 - 1);
    expect((await send(path, 0, part(0, 10))).status).toBe(204);
    clock.advance(24 * 3_600_000 - 1);
    expect(await offsetOf(path)).toEqual([200, '10']);
    clock.advance(1);
    expect((await offsetOf(path))[0]).toBe(404);
    const chunks = await db
      .selectFrom('gateway_chunks')
      .select((row) => row.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    expect(chunks.count).toBe(1);

    const bad = await begin(6);
    const refused = await send(bad, 0, Uint8Array.from(Buffer.from('a\nb\nc\n')));
    expect([refused.status, refused.body.error.message]).toEqual([
      422,
      'The dataset has no column "text". Columns: a.',
    ]);
    expect((await offsetOf(bad))[0]).toBe(404);
    const answers = await Promise.all([
      create(2_000_000_000),
      create(0),
      create(5, metadata({})),
      create(5, 'filename ***'),
      request('/api/v1/uploads', { method: 'POST', headers: MASTER }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([413, 422, 422, 422, 412]);
    const options = await request('/api/v1/uploads', { method: 'OPTIONS' });
    expect([options.status, options.headers.get('Tus-Extension')]).toEqual([
      204,
      'creation,expiration,termination',
    ]);
    const statuses: number[] = [];
    for (let count = 0; count < 21; count += 1) statuses.push((await create(5)).status);
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 201), 429]);
  });

  test.runIf(database.kind === 'sqlite')(
    'an upload fails on a full disk and resumes afterwards',
    async () => {
      const { begin, send, offsetOf, db } = await open();
      const path = await begin();
      const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db);
      await sql.raw(`pragma max_page_count = ${(rows[0]?.page_count ?? 0) + 150}`).execute(db);
      const full = await send(path, 0, part(0));
      expect([full.status, full.body.error.code]).toEqual([503, 'database_unavailable']);
      const [, offset] = await offsetOf(path);
      await sql.raw('pragma max_page_count = 1000000').execute(db);
      expect((await send(path, Number(offset), part(Number(offset)))).status).toBe(204);
    },
  );

  test('columns can be renamed in uploads and experiments', async () => {
    const { clock, ...state } = await database.start();
    const gateway = gatewayOn(state, clock);
    const { request, ask, context } = gateway;
    const form = new FormData();
    form.set('columns', '{"examples":"a"}');
    for (const [key, value] of formWith('a\tb\nx\ty\n', 'a.tsv')) form.set(key, value);
    const { body, type } = await encoded(form);
    const post = (given: ArrayBuffer | string, contentType: string, query = '') =>
      request(`/api/v1/datasets/${query}`, {
        method: 'POST',
        body: given,
        headers: { ...MASTER, 'Content-Type': contentType },
      });
    const uploaded = await post(body, type);
    expect(uploaded.body).toMatchObject({ columns: ['examples', 'b'] });
    const whole = await post('x;y\n1;2\n', 'text/csv', `?columns=${encodeURIComponent('{"examples":"y"}')}`);
    expect(whole.body).toMatchObject({ columns: ['x', 'examples'] });
    const wrong = [
      ['{"examples":"z"}', 'The dataset has no column "z". Columns: x,y.'],
      ['{"x":"y","examples":"x","z":"x"}', 'Column "x" cannot be given two names. Map it only once.'],
      ['{"x":"y"}', 'The dataset already has a column "x". Rename that column too, e.g. {"old_x":"x"}.'],
      [
        '{"examples":1}',
        'columns must be a JSON object such as {"examples": "text"}, not "{\\"examples\\":1}"',
      ],
    ];
    for (const [columns = '', message] of wrong) {
      const answer = await post('x,y\n1,2\n', 'text/csv', `?columns=${encodeURIComponent(columns)}`);
      expect([answer.status, answer.body.error.message.replace('x, y', 'x,y')]).toEqual([422, message]);
    }
    const { experiment } = requestsTo(gateway);
    const id = await experiment(uploaded.body.id, { columns: { ground_truth: 'b' } });
    const { dataset } = (await ask('GET', `/api/v1/experiments/${id}`)).body;
    expect(dataset).not.toBe(uploaded.body.id);
    const [first] = await Array.fromAsync(context.jobs.datasets.rows(dataset));
    expect(first?.rows).toEqual([{ examples: 'x', ground_truth: 'y' }]);
  });
});
