import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runCliHere } from '../helpers/cli-here.ts';
import { readGoldenMasks } from '../helpers/golden-masked.ts';
import { copyModel } from '../helpers/models.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { runExecutable } from './arms.ts';
import { TRANSPORTS } from './clients.ts';
import { post } from './http-client.ts';
import { shareServers } from './shared-servers.ts';
import { verifies, verifiesOnce, verifiesServed } from './verifies.ts';

const folder = useTempFolder();
const serve = shareServers();
const golden = readGoldenMasks();
const { texts } = golden;

interface Filled {
  readonly masks: readonly {
    readonly candidates: readonly { token: string; token_id: number; score: number; sequence: string }[];
  }[];
}

/** The candidates with scores rounded to five digits, with the field names of transformers. */
const listed = (results: readonly Filled[]) =>
  results.map(({ masks }) =>
    masks.map(({ candidates }) =>
      candidates.map(({ token, token_id, score, sequence }) => ({
        score: expect.closeTo(score, 5),
        token: token_id,
        token_str: token,
        sequence,
      })),
    ),
  );

verifiesServed('mask:golden', async (arm) => {
  const served = await serve(arm, 'fill-mask');
  for (const transport of TRANSPORTS) {
    const client = await transport.connect(served, 'FillMask');
    const predict = async (body: Parameters<typeof client.predict>[0]) =>
      (await client.predict(body)).results as unknown as Filled[];
    expect(golden.default).toEqual(listed(await predict({ inputs: texts })));
    expect(golden.default.slice(0, 1)).toEqual(listed(await predict({ inputs: texts.slice(0, 1) })));
    expect(golden.top_2).toEqual(listed(await predict({ inputs: texts, top_k: 2 })));
    const { targets } = golden;
    expect(golden.of_targets).toEqual(listed(await predict({ inputs: texts, targets })));
    await client.close();
  }
});

verifiesServed('mask:options', async (arm) => {
  const served = await serve(arm, 'fill-mask');
  const refusals: [body: object, message: string][] = [
    [
      { inputs: ['a [MASK]', 'a dog'] },
      'Input 1 contains no mask token in its first 128 tokens. Put [MASK] where a word should be predicted.',
    ],
    [
      { inputs: ['[MASK]'], targets: ['dog', 'doghouses'] },
      'targets/1 "doghouses" consists of 5 tokens for this model, but a mask represents a single token. Choose another word.',
    ],
    [{ inputs: ['[MASK]'], top_k: 0 }, 'top_k must be at least 1, not 0'],
  ];
  for (const transport of TRANSPORTS) {
    const client = await transport.connect(served, 'FillMask');
    for (const [body, message] of refusals) {
      await expect(client.predict(body as { inputs: string[] })).rejects.toMatchObject({
        code: transport.inputError,
        message: expect.stringMatching(
          message.replaceAll(/[[\]]/g, '\\$&').replace(/of \d+ tokens/, String.raw`of \d+ tokens`),
        ),
      });
    }
    await client.close();
  }
  const model = (await (await fetch(`${served.url}/model`)).json()) as object;
  expect(model).toEqual({
    model_id: 'fill-mask',
    model_type: 'fill_mask',
    version: '1.0.0',
    mask_token: '[MASK]',
  });
  expect((await post(`${served.url}/embed_sparse`, { inputs: 'a' })).status).toBe(404);
});

verifiesServed('mask:inference-api', async (arm) => {
  const { url } = await serve(arm, 'fill-mask');
  const ask = async (path: string, body: object): Promise<unknown> => {
    const { status, text } = await post(url + path, body);
    expect(status, text).toBe(200);
    return JSON.parse(text);
  };
  const close = (found: unknown): unknown =>
    JSON.parse(JSON.stringify(found), (key, value: unknown) =>
      key === 'score' ? Number(Number(value).toFixed(4)) : value,
    );
  const [one, , two] = texts;
  expect(close(await ask('/', { inputs: one }))).toEqual(close(golden.default[0]?.[0]));
  expect(close(await ask('/predict', { inputs: two, parameters: { top_k: 2 } }))).toEqual(
    close(golden.top_2[2]),
  );
  expect(close(await ask('/', { inputs: [one, two] }))).toEqual(
    close([golden.default[0]?.[0], golden.default[2]]),
  );
});

verifies('mask:infer', async (arm) => {
  const { stdout } = await arm.run('fill-mask', ['infer', '--top-k=2', ...texts]);
  const { predictions } = JSON.parse(stdout) as { predictions: Filled[] };
  expect(golden.top_2).toEqual(listed(predictions));
  expect(await arm.run('fill-mask', ['infer', 'no mask'])).toMatchObject({
    exitCode: 1,
    stderr:
      'Error: The text contains no mask token in its first 128 tokens. Put [MASK] where a word should be predicted.\n',
  });
  const input = join(folder(), 'texts.txt');
  writeFileSync(input, 'a [MASK]\nno mask\n');
  const lines = (await arm.run('fill-mask', ['infer', '--input', input, '--top-k=1'])).stdout.trim();
  const [first = '', second = ''] = lines.split('\n');
  expect(JSON.parse(first)).toMatchObject({ index: 0, masks: [{ candidates: [{}] }] });
  expect(JSON.parse(second)).toEqual({ index: 1, error: expect.stringContaining('contains no mask token') });
});

verifies('mask:infer-targets', async (arm) => {
  // Words in one flag and in several flags.
  const [first = '', ...others] = golden.targets;
  const flags = ['--targets', first, '--targets', others.join(', ')];
  const { stdout, stderr } = await arm.run('fill-mask', ['infer', ...flags, ...texts]);
  expect(stderr).toBe('');
  expect(golden.of_targets).toEqual(listed((JSON.parse(stdout) as { predictions: Filled[] }).predictions));
  expect(await arm.run('fill-mask', ['infer', '--targets=dog,doghouses', '[MASK]'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(
      /^Error: --targets "doghouses" consists of \d+ tokens for this model, but a mask represents a single token\. Choose another word\.$/m,
    ),
  });
  expect(await arm.run('sentiment', ['infer', '--targets=dog', 'x'])).toMatchObject({
    exitCode: 1,
    stderr:
      'Error: --targets requires a fill_mask model, but this is a sequence_classification model. Remove the flag.\n',
  });
});

verifiesOnce('mask:build', async () => {
  const output = join(folder(), 'x.encoder');
  const build = (...args: string[]) =>
    runCliHere(['build', ...args, '-o', output, '--cache-dir', TEST_CACHE], { cwd: folder() });
  const exported = copyModel('fill-mask', join(folder(), 'exported'));
  expect((await build(exported)).stdout).toMatch(/^Type +fill_mask, 2600 dimensions$/m);
  // The same weights as safetensors, whose files specify another type.
  const model = copyModel('splade', join(folder(), 'saved'));
  const config = join(folder(), 'x.yml');
  const write = (fields: object): void =>
    writeFileSync(
      config,
      JSON.stringify({ encoderfile: { name: 'x', path: model, model_type: 'fill_mask', ...fields } }),
    );
  write({});
  expect(await build('-f', config, '--force')).toMatchObject({ exitCode: 0 });
  const { stdout } = await runExecutable(output, ['infer', ...texts]);
  expect(golden.default).toEqual(listed((JSON.parse(stdout) as { predictions: Filled[] }).predictions));

  const refused = async (fields: object, message: RegExp): Promise<void> => {
    write(fields);
    const { exitCode, stderr } = await build('-f', config);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringMatching(message) });
  };
  const transform = 'function Postprocess(x) return x end';
  await refused({ transform }, /transform: is not supported for model_type fill_mask; remove it/);
  await refused(
    { long_texts: 'windows' },
    /windows is not supported for model_type fill_mask, because a mask/,
  );
  const saved = join(model, 'tokenizer_config.json');
  writeFileSync(saved, JSON.stringify({ mask_token: '<none>', model_max_length: 128 }));
  await refused({}, /has no mask token \(<none>\), which model_type fill_mask requires\. Choose another/);
});
