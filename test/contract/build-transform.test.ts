import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { copyModel, writeConfig } from '../helpers/model-folder.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import { runCliHere as runCli } from '../helpers/cli-here.ts';
import type { Answer } from '../helpers/run-process.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { runExecutable } from './arms.ts';
import { verifiesOnce } from './verifies.ts';

const folder = useTempFolder();
const build = (config: string): Promise<Answer> =>
  runCli(['build', '-q', '--force', '-f', config, '--cache-dir', TEST_CACHE], { cwd: folder() });

/** A config that uses this script as its transform, in a file. */
function withScript(script: string, fields: Record<string, unknown> = {}): string {
  writeFileSync(join(folder(), 'mine.lua'), script);
  return writeConfig(folder(), { transform: { path: 'mine.lua' }, ...fields });
}

/** A config that contains this script as its transform, from line 6 on. */
function withInlineScript(script: string): string {
  const path = join(folder(), 'inline.yml');
  const lines = script.split('\n').map((line) => `    ${line}`);
  const fields = ['name: model', 'path: ./model', 'model_type: sequence_classification', 'transform: |'];
  writeFileSync(
    path,
    ['encoderfile:', ...fields.map((field) => `  ${field}`), ...lines].join('\n').concat('\n'),
  );
  return path;
}

async function expectRefusal(config: string, message: string): Promise<void> {
  expect(await build(config)).toEqual({ exitCode: 1, stdout: '', stderr: `Error: ${message}` });
  expect(existsSync(join(folder(), 'model.encoder'))).toBe(false);
}

const TRIAL =
  '  (in a trial run with logits of shape [1, 2]; set validate_transform: false to skip trial runs)';

verifiesOnce('build:transform', async () => {
  copyModel(folder());
  const script = 'function Postprocess(logits)\n  return (logits / 2):softmax(2)\nend';
  for (const config of [withScript(script), withInlineScript(script)]) {
    expect(await build(config)).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    const { stdout } = await runExecutable(join(folder(), 'model.encoder'), ['infer', 'I love this']);
    const [{ label, score }] = JSON.parse(stdout).predictions;
    expect(label).toBe('POSITIVE');
    // softmax of half the logits, which are -2.6759324 and 2.6751258; without the transform, it would be 0.995.
    expect(score).toBeCloseTo(1 / (1 + Math.exp((-2.6759324 - 2.6751258) / 2)), 5);
  }
});

verifiesOnce('build:transform-file', async () => {
  copyModel(folder());
  mkdirSync(join(folder(), 'scripts'));
  writeFileSync(join(folder(), 'large.lua'), '-'.repeat(1_000_001));
  const rule = `\`transform.path\` in ${join(folder(), 'encoderfile.yml')} must be a Lua script`;
  const cases = {
    'none.lua': `No such file: ${join(folder(), 'none.lua')}. ${rule}.`,
    scripts: `${join(folder(), 'scripts')} is not a file. ${rule}.`,
    'large.lua': `${join(folder(), 'large.lua')} has 1000001 bytes. ${rule} of at most 1000000 bytes.`,
  };
  for (const [path, message] of Object.entries(cases))
    await expectRefusal(writeConfig(folder(), { transform: { path } }), message);
});

verifiesOnce('build:transform-syntax', async () => {
  copyModel(folder());
  const script = '-- by hand\nfunction Postprocess(logits)\n  return logits:softmax(2))\nend';
  const what = "'end' expected (to close 'function' at line";
  const source = '  return logits:softmax(2))';
  await expectRefusal(
    withScript(script),
    `The transform failed: mine.lua:3: ${what} 2) near ')'\n  3 | ${source}`,
  );
  await expectRefusal(
    withInlineScript(script),
    `The transform failed: inline.yml:8: ${what} 7) near ')'\n  8 | ${source}`,
  );
});

verifiesOnce('build:transform-trial', async () => {
  copyModel(folder());
  const script = '\nfunction Postprocess(logits)\n  return logits:softmax(3)\nend';
  const what =
    'softmax: axis 3 is out of range for a tensor of shape [1, 2]: it has axes 1 to 2, or -1 to -2 from the end.';
  const source = '  return logits:softmax(3)';
  await expectRefusal(
    withScript(script),
    `The transform failed: mine.lua:3: ${what}\n  3 | ${source}\n${TRIAL}`,
  );
  await expectRefusal(
    withInlineScript(script),
    `The transform failed: inline.yml:8: ${what}\n  8 | ${source}\n${TRIAL}`,
  );
  // Works for real texts, but not for a text of maximum length: generated output detects this.
  copyModel(folder(), 'ner');
  const config = withScript(
    'function Postprocess(logits)\n  assert(logits:shape()[2] < 100, "too long")\n  return logits\nend',
    { model_type: 'token_classification' },
  );
  await expectRefusal(
    config,
    'The transform failed: mine.lua:2: too long\n  2 |   assert(logits:shape()[2] < 100, "too long")\n' +
      TRIAL.replace('[1, 2]', '[1, 128, 9]'),
  );
});

verifiesOnce('build:transform-shape', async () => {
  copyModel(folder());
  const shaped = (result: string): string => withScript(`function Postprocess(x) return ${result} end`);
  const wanted = 'a tensor of shape [1, 2] or [1] for an input of [1, 2]';
  await expectRefusal(shaped('x:transpose()'), `Postprocess must return ${wanted}, not [2, 1]\n${TRIAL}`);
  await expectRefusal(
    shaped('x:ndim()'),
    `The transform failed: Postprocess must return a tensor, not 2\n${TRIAL}`,
  );
  await expectRefusal(
    shaped('x:argmax(2) + 2'),
    `Postprocess returned 3 as a label index; there are 2 labels, and indexes start at 0, as in argmax\n${TRIAL}`,
  );
});

verifiesOnce('build:transform-not-finite', async () => {
  copyModel(folder());
  const config = withScript('function Postprocess(logits) return (logits - logits) / 0 end');
  const refusal =
    'The transform failed: mine.lua: Postprocess returned NaN at [1, 1]; results must be finite numbers. ' +
    `Check divisions by 0, logarithms and roots\n${TRIAL}`;
  await expectRefusal(config, refusal);
  const validated = await runCli(['validate', '-q', '-f', config, '--cache-dir', TEST_CACHE]);
  expect(validated).toEqual({ exitCode: 1, stdout: '', stderr: `Error: ${refusal}` });
  const tested = await runCli(['transform', 'test', '-q', '-f', config, '--cache-dir', TEST_CACHE, 'a film']);
  expect(tested).toMatchObject({ exitCode: 1, stdout: '' });
  expect(tested.stderr).toContain('mine.lua: Postprocess returned NaN at [1, 1]');
  // Generated values are not a reason to reject a transform: the model may never return them.
  copyModel(folder(), 'ner');
  const madeUp = 'function Postprocess(x) if x:shape()[2] < 100 then return x end return (x - x) / 0 end';
  expect(await build(withScript(madeUp, { model_type: 'token_classification' }))).toMatchObject({
    exitCode: 0,
  });
});

verifiesOnce('build:transform-postprocess', async () => {
  copyModel(folder());
  await expectRefusal(
    withScript('function PostProcess(logits) return logits end'),
    `The transform failed: it does not define a function named Postprocess\n${TRIAL}`,
  );
});

verifiesOnce('build:transform-unvalidated', async () => {
  copyModel(folder());
  const unvalidated = { validate_transform: false };
  expect(await build(withScript('function Postprocess(x) error("never") end', unvalidated))).toMatchObject({
    exitCode: 0,
  });
  const infer = await runExecutable(join(folder(), 'model.encoder'), ['infer', 'I love this']);
  expect(infer.exitCode).toBe(1);
  expect(infer.stderr).toContain('The transform failed: mine.lua:1: never');
  const { exitCode, stderr } = await build(withScript('function Postprocess(x', unvalidated));
  expect(exitCode).toBe(1);
  expect(stderr).toContain('The transform failed: mine.lua:1: ');
});

verifiesOnce('build:transform-limits', async () => {
  copyModel(folder());
  const limited = (body: string, limits: Record<string, number>): string =>
    withScript(`function Postprocess(x) ${body} return x end`, { transform_limits: limits });
  await expectRefusal(
    limited('while true do end', { instructions: 50_000 }),
    `The transform failed: it exceeded its limit of 50000 instructions (transform_limits.instructions)\n${TRIAL}`,
  );
  await expectRefusal(
    limited('local t = {} while true do t[#t + 1] = {} end', { memory_mb: 8 }),
    `The transform failed: it exceeded its memory limit of 8 MB (transform_limits.memory_mb)\n${TRIAL}`,
  );
  await expectRefusal(
    limited('while true do end', { seconds: 1, instructions: Number.MAX_SAFE_INTEGER }),
    `The transform failed: it exceeded its time limit of 1 s (transform_limits.seconds)\n${TRIAL}`,
  );
  // A single call that takes years.
  await expectRefusal(
    limited('string.rep("", 1 << 60)', { seconds: 0.1 }),
    `The transform failed: a single Lua library call took more than 0.2 s (transform_limits.seconds is 0.1)\n${TRIAL}`,
  );
});
