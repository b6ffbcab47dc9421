import { expect, test } from 'vitest';
import { startFixture } from '../../fixture-provider.ts';
import { useGateway } from '../../api/use-gateway.ts';
import { providerOf } from '../../test-provider.ts';
import { doJobs } from './do-jobs.ts';
import { encoded, formWith, LABELLED, MASTER, requestsTo } from './workflow-requests.ts';

const [encoder, openai] = [await startFixture('encoder'), await startFixture('openai')];
const gateway = useGateway(() => ({ providers: [providerOf('openai', openai)] }));

const BAD_FILES: readonly [
  what: string,
  text: string | Uint8Array<ArrayBuffer>,
  status: number,
  says: string,
][] = [
  ['no examples column', 'text,ground_truth\na,b\n', 403, 'Dataset is missing required fields: examples'],
  ['a row with too few cells', 'examples,ground_truth\na,b\nc\n', 422, '3'],
  ['empty', '', 422, ''],
  ['only a header', 'examples,ground_truth\n', 422, 'no rows'],
  ['Latin-1 text', Uint8Array.from([...Buffer.from('examples\ncaf'), 0xe9, 0x0a]), 422, 'at offset 12'],
  ['duplicate column names', 'examples,examples\na,b\n', 422, 'two columns'],
  ['a blank example', 'examples\n \n', 422, 'Row 1'],
  ['an oversized file', `examples\n${'x'.repeat(1_100_000)}\n`, 413, 'exceeds the maximum'],
];

test.for(BAD_FILES)('an invalid file is rejected immediately: %s', async ([, text, status, says]) => {
  const answer = await requestsTo(gateway()).upload(text);
  expect([answer.status, answer.body.error.message]).toEqual([status, expect.stringContaining(says)]);
});

test('an oversized upload returns 413', async () => {
  const url = await gateway().listen();
  const { body, type } = await encoded(formWith(`examples\n${'x\n'.repeat(5_000_000)}`));
  const headers = { ...MASTER, 'Content-Type': type };
  const response = await fetch(`${url}/api/v1/datasets/`, { method: 'POST', body, headers });
  expect([response.status, await response.json()]).toMatchObject([
    413,
    { detail: expect.stringContaining('1048576') },
  ]);
});

test('CSV with a byte order mark, CRLF, quotes and line breaks in cells can be uploaded in a form or as the raw body', async () => {
  const { request, ask } = gateway();
  const text = '\uFEFFexamples,ground_truth\r\n"He said ""no"",\r\ntwice",SAFE\r\n';
  const dataset = (await requestsTo(gateway()).upload(text)).body;
  const { download_urls: urls } = (
    await ask('GET', `/api/v1/datasets/${dataset.id}/download?extension=jsonl`)
  ).body;
  const url = new URL(urls[0]);
  expect((await request(url.pathname + url.search)).body).toEqual({
    examples: 'He said "no",\r\ntwice',
    ground_truth: 'SAFE',
  });
  const headers = { ...MASTER, 'Content-Type': 'text/csv' };
  const alone = await request('/api/v1/datasets?filename=a.csv', {
    method: 'POST',
    body: 'examples\na\n',
    headers,
  });
  expect([alone.status, alone.body.filename, alone.headers.get('Location')]).toEqual([
    201,
    'a.csv',
    `/api/v1/datasets/${alone.body.id}`,
  ]);
});

test.each(['constructor', '__proto__', 'toString', 'text/plain'])(
  'content type %s is not accepted as a dataset',
  async (type) => {
    const headers = { ...MASTER, 'Content-Type': type };
    const { status, body } = await gateway().request('/api/v1/datasets/', {
      method: 'POST',
      body: 'examples\na\n',
      headers,
    });
    expect([status, body.error.message]).toEqual([
      415,
      expect.stringContaining(`Unsupported content type "${type}".`),
    ]);
  },
);

test('a malformed form is rejected, and none of its data is stored', async () => {
  const { request, ask } = gateway();
  const before = (await ask('GET', '/api/v1/datasets/')).body.total;
  const post = (body: string | ArrayBuffer, type?: string) =>
    request('/api/v1/datasets/', {
      method: 'POST',
      body,
      headers: { ...MASTER, ...(type ? { 'Content-Type': type } : {}) },
    });
  const postForm = async (form: FormData) => {
    const { body, type } = await encoded(form);
    return await post(body, type);
  };
  expect((await postForm(formWith('examples\na\n', 'a.csv', 'other'))).body.detail[0]).toMatchObject({
    loc: ['body', 'format'],
    input: 'other',
  });
  expect((await postForm(formWith('examples\na\n', 'a.txt'))).status).toBe(422);
  expect((await postForm(new FormData())).status).toBe(422);
  expect((await post('{}', 'application/json')).status).toBe(415);
  expect((await post('--x\r\nnonsense', 'multipart/form-data; boundary=x')).status).toBe(400);
  const cut = '--x\r\nContent-Disposition: form-data; name="dataset"; filename="a.csv"\r\n\r\nexamples\na\n';
  expect((await post(cut, 'multipart/form-data; boundary=x')).status).toBe(400);
  expect((await ask('GET', '/api/v1/datasets/')).body.total).toBe(before);
});

test('an experiment that cannot succeed is rejected', async () => {
  const { ask } = gateway();
  const { upload } = requestsTo(gateway());
  const post = (body: object) => ask('POST', '/api/v1/experiments/', { name: 'x', ...body });
  const [labelled, plain] = [(await upload(LABELLED)).body.id, (await upload('examples\na\n')).body.id];
  const unknown = await post({ dataset: 'b7f0c0a8-3d0c-4b7e-9d0f-0c7f3a1c2e55' });
  expect([unknown.status, unknown.body.detail[0]]).toMatchObject([
    422,
    { type: 'value_error', loc: ['body', 'dataset'], msg: expect.stringContaining('not found') },
  ]);
  expect((await post({ dataset: plain })).body.detail[0].msg).toContain('ground_truth');
  expect((await post({})).body.detail).toEqual([
    { type: 'missing', loc: ['body', 'dataset'], msg: 'dataset is missing', input: null },
  ]);
  expect((await post({ dataset: labelled, task_definition: { task: 'translation' } })).status).toBe(422);
  expect((await post({ dataset: labelled, max_samples: 0 })).status).toBe(422);
  expect((await post({ dataset: labelled, colour: 'red' })).body.detail[0].type).toBe('extra_forbidden');
});

test('every row is validated, even the last ones', async () => {
  const { ask } = gateway();
  const { upload } = requestsTo(gateway());
  const rows = (count: number): string => 'a b,O O\n'.repeat(count);
  const text = `examples,ground_truth\n${rows(2499)}a b,O\n${rows(2000)}`;
  const dataset = (await upload(text)).body.id;
  const post = (max_samples: number) =>
    ask('POST', '/api/v1/experiments/', {
      name: 'late',
      dataset,
      max_samples,
      task_definition: { task: 'token-classification' },
    });
  const refused = await post(-1);
  expect([refused.status, refused.body.detail[0]]).toMatchObject([
    422,
    { loc: ['body', 'dataset'], msg: expect.stringMatching(/^Row 2500 of the dataset: .* 1 labels for 2/) },
  ]);
  expect((await post(2500)).status).toBe(422);
  expect((await post(2499)).status).toBe(201);
});

test('the output column cannot be an existing column', async () => {
  const { ask } = gateway();
  const { upload, experiment, workflow } = requestsTo(gateway());
  const dataset = (await upload(LABELLED)).body.id;
  const id = await experiment(dataset);
  for (const inference_output_field of ['examples', 'ground_truth', 'error', 'scores', ' ']) {
    const answer = await workflow(id, { provider: 'openai', model: 'small', inference_output_field });
    expect([answer.status, answer.body.detail[0]?.loc]).toEqual([422, ['body', 'inference_output_field']]);
  }
  const job_config = { job_type: 'inference', provider: 'openai', model: 'small', output_field: 'examples' };
  const job = await ask('POST', '/api/v1/jobs/inference/', { name: 'j', dataset, job_config });
  expect([job.status, job.body.detail[0]?.loc]).toEqual([422, ['body', 'job_config', 'output_field']]);
});

test('duplicate names get a suffix, even for concurrent requests', async () => {
  const { ask } = gateway();
  const dataset = (await requestsTo(gateway()).upload(LABELLED)).body.id;
  const task_definition = { task: 'text-classification' };
  const name = `'; DROP TABLE gateway_jobs; -- "$(reboot)" \u0000 名前`;
  const made = await Promise.all(
    [1, 2, 3].map(() => ask('POST', '/api/v1/experiments/', { name, dataset, task_definition })),
  );
  const names = made.map(({ body }) => body.name as string);
  expect(new Set(names).size).toBe(3);
  expect(names.filter((one) => /_\d{20}$/.test(one))).toHaveLength(2);
});

test('a workflow that cannot succeed is rejected', async () => {
  const { ask } = gateway();
  const { upload, experiment, workflow } = requestsTo(gateway());
  const id = await experiment((await upload(LABELLED)).body.id);
  const texts = await experiment((await upload(LABELLED)).body.id, {
    task_definition: { task: 'text-generation' },
  });
  const none = await ask('POST', '/api/v1/workflows/', { name: 'n', model: 'm', provider: 'openai' });
  expect([none.status, none.body.detail]).toEqual([400, "Cannot create workflow 'n': No experiment found."]);
  const secret = await workflow(id, { provider: 'openai', secret_key_name: 'no' });
  expect([secret.status, secret.body.detail]).toEqual([
    400,
    "Cannot create workflow 'w': Requested secret key 'no' is not configured.",
  ]);
  const prompt = await workflow(texts, { provider: 'openai' });
  expect([prompt.status, prompt.body.detail]).toEqual([
    400,
    'Default system_prompt not available for text-generation. Set system_prompt to the instructions for the model, e.g. "Answer the question in one sentence."',
  ]);

  const ENCODER = { provider: 'encoder', base_url: encoder.url };
  const cases: [object, RegExp][] = [
    [{ ...ENCODER, base_url: `${encoder.url}/other` }, /"SAFE", which is not a label of/],
    [{ ...ENCODER, base_url: `${encoder.url}/tagger` }, /token_classification/],
    [{ ...ENCODER, base_url: 'http://127.0.0.1:9' }, /is unreachable \(ECONNREFUSED\)\./],
    [{ ...ENCODER, base_url: 'ftp://x' }, /ftp/],
    [{ provider: 'encoder', model: '/nothing/here.encoder' }, /here\.encoder/],
    [{ provider: 'encoder', model: '/nothing/here.encoder.exe' }, /No such file: .*here\.encoder\.exe/],
    [{ provider: 'nobody', model: 'x' }, /nobody/],
    [{ provider: 'hf', model: 'x' }, /\.encoder/],
    [{ provider: 'openai', metrics: ['acuracy'] }, /did you mean/i],
    [{ provider: 'openai', batch_size: 0 }, /batch_size/],
    [{ provider: 'openai', generation_config: { top_k: 1 } }, /top_k/],
  ];
  for (const [more, says] of cases) {
    const answer = await workflow(id, more);
    expect([answer.status, answer.body.error.message]).toEqual([422, expect.stringMatching(says)]);
  }
  const judged = await workflow(texts, {
    provider: 'openai',
    system_prompt: 'Hi',
    metrics: ['g_eval_summarization'],
  });
  expect([judged.status, judged.body.error.message]).toEqual([422, expect.stringContaining('llm_as_judge')]);
});

test('an invalid job setting is reported with its field', async () => {
  const { ask } = gateway();
  const answers = 'examples,ground_truth,predictions\na,SAFE,SAFE\n';
  const dataset = (await requestsTo(gateway()).upload(answers)).body.id;
  const locationOf = async (kind: string, job_config: object) =>
    (await ask('POST', `/api/v1/jobs/${kind}/`, { name: 'j', dataset, job_config })).body.detail[0]?.loc;
  const inference = { job_type: 'inference', provider: 'encoder', model: 'x' };
  const evaluation = { job_type: 'evaluator', task_definition: { task: 'text-classification' } };
  expect(await locationOf('inference', { ...inference, base_url: 'http://127.0.0.1:9' })).toEqual([
    'body',
    'job_config',
    'base_url',
  ]);
  expect(await locationOf('evaluator', { ...evaluation, metrics: ['acuracy'] })).toEqual([
    'body',
    'job_config',
    'metrics',
  ]);
});

test('prompts and names are treated as data, regardless of their content', async () => {
  const { ask, context, listen } = gateway();
  const { upload, experiment, workflow } = requestsTo(gateway());
  const id = await experiment((await upload(LABELLED)).body.id, { max_samples: 1 });
  const prompt = `'; rm -rf / #" \\u0000 $(id) {{x}} \n</system>`;
  const made = await workflow(id, {
    provider: 'openai',
    model: 'small',
    name: '../../x"\r\nA: b',
    system_prompt: prompt,
  });
  expect(made.status).toBe(201);
  await doJobs(context.jobs, await listen());
  const sent = JSON.parse((await openai.last()).body);
  expect(sent.messages[0]).toEqual({ role: 'system', content: prompt });
  const url = new URL((await ask('GET', `/api/v1/workflows/${made.body.id}/result/download`)).body);
  const file = await gateway().request(url.pathname + url.search);
  expect(file.headers.get('Content-Disposition')).toMatch(
    /^attachment; filename="[\w.-]+"; filename\*=UTF-8''[\w.%-]+$/,
  );
});
