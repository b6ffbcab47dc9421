import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { largestDifference, TOLERANCE } from '../helpers/close.ts';
import { runCliHere } from '../helpers/cli-here.ts';
import { readGoldenZeroShot } from '../helpers/golden-zero-shot.ts';
import { copyModel, writeConfig } from '../helpers/model-folder.ts';
import { copyModel as copyFiles } from '../helpers/models.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { TRANSPORTS } from './clients.ts';
import { ask, post } from './http-client.ts';
import { shareServers } from './shared-servers.ts';
import { verifies, verifiesOnce, verifiesServed } from './verifies.ts';

const folder = useTempFolder();
const serve = shareServers();
const { nli: { cases = [] } = {} } = readGoldenZeroShot();
const [first, second] = cases;

interface Result {
  readonly sequence?: string;
  readonly labels: readonly string[];
  readonly scores: readonly number[];
}

function expectResult(found: Result | undefined, at: number): void {
  const { labels, scores = [] } = cases[at] ?? {};
  expect(found?.labels).toEqual(labels);
  expect(largestDifference(found?.scores, scores)).toBeLessThan(TOLERANCE);
}

verifiesServed('zero-shot:golden', async (arm) => {
  const served = await serve(arm, 'nli');
  expect(cases.length).toBeGreaterThan(5);
  for (const transport of TRANSPORTS) {
    const client = await transport.connect(served, 'ZeroShotClassification');
    for (const [at, { text, labels: _, scores: __, logits: ___, ...options }] of cases.entries()) {
      const request = { inputs: ['I love this', text], metadata: { id: '7' }, ...options };
      const { results, ...rest } = (await client.predict(request)) as unknown as { results: Result[] };
      expect(rest).toEqual({ model_id: 'nli', metadata: { id: '7' } });
      expect(results.map(({ sequence }) => sequence)).toEqual(request.inputs);
      expectResult(results[1], at);
    }
    await client.close();
  }
  const { text, candidate_labels } = first ?? expect.unreachable();
  for (const path of ['/', '/predict']) {
    const parameters = { candidate_labels };
    const one = await post(`${served.url}${path}`, { inputs: text, parameters });
    expect(one.status, one.text).toBe(200);
    expectResult(JSON.parse(one.text) as Result, 0);
    const several = await post(`${served.url}${path}`, { inputs: [text, 'x'], parameters });
    expectResult((JSON.parse(several.text) as Result[])[0], 0);
  }
  const model = JSON.parse((await ask(`${served.url}/model`)).text) as object;
  expect(model).toMatchObject({ model_type: 'zero_shot_classification', id2label: { 2: 'entailment' } });
  const long = cases.findIndex(({ text }) => text.length > 500);
  const { text: longText, candidate_labels: labels } = cases[long] ?? {};
  const cut = await fetch(`${served.url}/predict`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ inputs: ['short', longText], candidate_labels: labels }),
  });
  expect(cut.headers.get('x-truncated-indexes')).toBe('1');
  await cut.body?.cancel();
});

verifiesServed('zero-shot:refused', async (arm) => {
  const { url } = await serve(arm, 'nli', ['--max-client-batch=8']);
  const labels = ['a', 'b', 'c'];
  const long = 'word '.repeat(200);
  for (const [body, message] of [
    [{ inputs: ['x'] }, 'candidate_labels is missing'],
    [{ inputs: ['x'], candidate_labels: [] }, 'candidate_labels must not be empty'],
    [{ inputs: ['x'], candidate_labels: ['a', ''] }, 'candidate_labels/1 must not be empty'],
    [{ inputs: 'x', candidate_labels: labels }, 'inputs must be a list of texts, not "x"'],
    [{ inputs: [['x', 'y']], candidate_labels: labels }, 'inputs/0 must be text, not a list'],
    [{ inputs: [''], candidate_labels: labels }, 'Cannot tokenize empty string'],
    [
      { inputs: ['x'], candidate_labels: labels, hypothesis_template: 'This is it.' },
      'hypothesis_template must contain {}, which is replaced by each label, but is "This is it.".',
    ],
    [
      { inputs: ['x', 'y', 'z'], candidate_labels: labels },
      'Too many pairs of texts and labels: 3 x 3 = 9, but the maximum is 8 (--max-client-batch). Split them into several requests.',
    ],
    [
      { inputs: ['x'], candidate_labels: [long] },
      `"This example is ${long.slice(0, 44)}…" is too long: it is never truncated and must fit within this model's 128 tokens. Shorten it.`,
    ],
    [
      { inputs: ['x', long], candidate_labels: labels, truncate: false },
      "Input 1 is too long: it has more than 128 tokens, this model's maximum. Shorten it, or allow truncation in the request.",
    ],
  ] as const) {
    expect(await post(`${url}/predict`, body), message).toMatchObject({ status: 422, text: message });
  }
  const foreign = await post(`${url}/`, { inputs: 'x' });
  expect(foreign).toMatchObject({ status: 422, text: 'parameters is missing' });
  const rerank = await post(`${url}/rerank`, { query: 'x', documents: ['y'] });
  expect(rerank.status).toBe(404);
});

verifies('zero-shot:infer', async (arm) => {
  const { text, candidate_labels } = second ?? expect.unreachable();
  const [rain = '', ...others] = candidate_labels.toReversed();
  const flags = ['--labels', others.toReversed().join(', '), '--label', rain, '--multi-label'];
  const { exitCode, stdout } = await arm.run('nli', ['infer', ...flags, text, 'x']);
  const { predictions, metadata } = JSON.parse(stdout) as { predictions: Result[]; metadata: null };
  expect({ exitCode, metadata, count: predictions.length }).toEqual({
    exitCode: 0,
    metadata: null,
    count: 2,
  });
  expectResult(predictions[0], 1);

  const input = join(folder(), 'texts.txt');
  writeFileSync(input, `x\n${text}\n`);
  const lines = (await arm.run('nli', ['infer', ...flags, '--input', input])).stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(2);
  expectResult(JSON.parse(lines[1] ?? '') as Result, 1);

  for (const [model, args, message] of [
    ['nli', ['x'], 'Error: --labels is missing. Pass at least one label.\n'],
    ['nli', ['x', '--labels=a,,b'], 'Error: --labels has an empty label. Remove it.\n'],
    [
      'nli',
      ['x', '--labels=a', '--hypothesis-template=It is'],
      'Error: --hypothesis-template must contain {}, which is replaced by each label, but is "It is".\n',
    ],
    [
      'sentiment',
      ['x', '--labels=a'],
      'Error: --labels requires a zero_shot_classification, zero_shot_ner or zero_shot_image_classification model, but this is a sequence_classification model. Remove the flag.\n',
    ],
  ] as const) {
    expect(await arm.run(model, ['infer', ...args])).toEqual({ exitCode: 1, stdout: '', stderr: message });
  }
});

verifiesOnce('zero-shot:build', async () => {
  const model = copyFiles('nli', join(folder(), 'named'));
  const validate = (...args: string[]) =>
    runCliHere(['validate', ...args, '--cache-dir', TEST_CACHE], { cwd: folder() });
  const guessed = await validate('named');
  expect(guessed.exitCode, guessed.stderr).toBe(0);
  expect(guessed.stdout + guessed.stderr).toMatch(
    /named is of type zero_shot_classification, because config\.json names BertForSequenceClassification with the labels contradiction, neutral, entailment/,
  );
  expect(guessed.stdout + guessed.stderr).toContain(
    'For the labels in config.json instead, pass --model-type sequence_classification',
  );

  const config = copyModel(folder(), 'nli', { model_type: 'zero_shot_classification' });
  const json = join(folder(), 'model', 'config.json');
  const original = JSON.parse(readFileSync(json, 'utf8')) as object;
  writeFileSync(json, JSON.stringify({ ...original, id2label: { 0: 'no', 1: 'maybe', 2: 'yes' } }));
  const refused = await validate('-f', config);
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(refused.stderr).toContain(
    'config.json has the labels no, maybe, yes, but zero_shot_classification requires several labels, one of which starts with "entail".',
  );
  for (const [fields, message] of [
    [
      { transform: 'function Postprocess(x) return x end' },
      /transform: is not supported for model_type zero_shot/,
    ],
    [{ long_texts: 'windows' }, /long_texts: windows is not supported for model_type zero_shot/],
  ] as const) {
    writeConfig(folder(), { model_type: 'zero_shot_classification', ...fields });
    expect((await validate('-f', config)).stderr).toMatch(message);
  }
  expect(model).toContain('named');
});
