import { ARMS_AND_TRANSFORMS, runExecutable } from './arms.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { readGoldenEntities } from '../helpers/golden-entities.ts';
import { builtExecutable } from '../helpers/built.ts';
import { NO_GPU } from '../helpers/no-gpu.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { STEPS } from '#encoder/engine/steps.ts';
import { verifies, verifiesOnce } from './verifies.ts';

const folder = useTempFolder();
const norm = (vector: number[]): number => Math.hypot(...vector);

verifies(
  'infer:sequence_classification:shape',
  async (arm) => {
    const { exitCode, stdout, stderr } = await arm.run('sentiment', [
      'infer',
      'I love this',
      'this is awful',
    ]);
    const { predictions, metadata, ...rest } = JSON.parse(stdout);
    expect({ exitCode, stderr, metadata, rest }).toEqual({
      exitCode: 0,
      stderr: '',
      metadata: null,
      rest: {},
    });
    expect(predictions.map(({ label }: { label: string }) => label)).toEqual(['POSITIVE', 'NEGATIVE']);
    expect(Object.keys(predictions[0])).toEqual(['label', 'score']);
  },
  ARMS_AND_TRANSFORMS,
);

verifies(
  'infer:token_classification:shape',
  async (arm) => {
    const { stdout } = await arm.run('ner', ['infer', 'John lives in Berlin', 'hello']);
    const { predictions, metadata } = JSON.parse(stdout);
    expect(metadata).toBeNull();
    expect(predictions).toHaveLength(2);
    expect(Object.keys(predictions[0])).toEqual(['tokens', 'labels']);
    expect(predictions[0].labels).toContain('B-PER');
    expect(predictions[0].labels).toContain('B-LOC');
    expect(predictions[0].tokens).toHaveLength(predictions[0].labels.length);
    expect(predictions[0].tokens).not.toContain('[CLS]');
  },
  ARMS_AND_TRANSFORMS,
);

verifies('infer:sequence_classification:top-k', async (arm) => {
  const run = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await arm.run('multilabel', ['infer', 'I love this', ...args]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    return JSON.parse(stdout).predictions[0];
  };
  const [plain, one, all] = [await run(), await run('--top-k=1'), await run('--top-k=1000')];
  const { top, ...rest } = one;
  expect(rest).toEqual(plain);
  expect(top).toEqual([{ index: expect.any(Number), label: plain.label, score: plain.score }]);
  expect(all.top.length).toBeGreaterThan(2);
  const scores = all.top.map(({ score }: { score: number }) => score);
  expect(scores).toEqual(scores.toSorted((left: number, right: number) => right - left));
  expect((await arm.run('sentiment', ['infer', 'x', '--top-k=0'])).stderr).toMatch(
    /--top-k: "0" is not a whole number from 1 to/,
  );
  expect(await arm.run('ner', ['infer', 'x', '--top-k=1'])).toMatchObject({
    exitCode: 1,
    stderr:
      'Error: --top-k requires a fill_mask, sequence_classification, question_answering, image_classification or object_detection model, but this is a token_classification model. Remove the flag.\n',
  });
});

verifies('infer:token_classification:aggregation', async (arm) => {
  const cases = readGoldenEntities();
  const run = async (...args: string[]): Promise<string> => {
    const { exitCode, stdout } = await arm.run('ner', ['infer', ...args]);
    expect(exitCode).toBe(0);
    return stdout;
  };
  const texts = cases.map(({ text }) => text);
  for (const strategy of ['simple', 'first', 'average', 'max']) {
    const { predictions } = JSON.parse(await run(`--aggregation=${strategy}`, '--', ...texts));
    for (const [at, { tokens, labels, entities }] of predictions.entries()) {
      expect(tokens).toHaveLength(labels.length);
      const expected = cases[at]?.groups[strategy] ?? [];
      expect(entities).toEqual(
        expected.map(([entity_group, score, start, end, word]) => ({
          entity_group,
          score: expect.closeTo(score, 4),
          word,
          start,
          end,
        })),
      );
    }
  }
  expect(await run('--aggregation=none', 'Anna')).toBe(await run('Anna'));
  const input = join(folder(), 'texts.txt');
  writeFileSync(input, 'John lives in Berlin\n');
  const line = JSON.parse(await run('--input', input, '--aggregation=simple'));
  expect(Object.keys(line)).toEqual(['index', 'tokens', 'labels', 'entities']);
});

verifies(
  'infer:embedding:shape',
  async (arm) => {
    const { stdout } = await arm.run('embedder', ['infer', 'one text', 'another']);
    const { embeddings, metadata } = JSON.parse(stdout);
    expect(metadata).toBeNull();
    expect(embeddings).toHaveLength(2);
    expect(embeddings[0].every((value: unknown) => typeof value === 'number')).toBe(true);
    expect(embeddings[0]).toHaveLength(embeddings[1].length);
  },
  ARMS_AND_TRANSFORMS,
);

verifies(
  'infer:embedding:normalize',
  async (arm) => {
    const run = async (...flags: string[]): Promise<number[]> =>
      JSON.parse((await arm.run('embedder', ['infer', 'some text', ...flags])).stdout).embeddings[0];
    const [plain, normalized, off] = [
      await run(),
      await run('--normalize=true'),
      await run('--normalize=false'),
    ];
    expect(norm(normalized)).toBeCloseTo(1, 5);
    expect(off).toEqual(plain);
    expect(norm(plain)).not.toBeCloseTo(1, 3);
    const { exitCode, stderr } = await arm.run('embedder', ['infer', 'some text', '--normalize=maybe']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--normalize: "maybe" is not one of true, false.');
  },
  ARMS_AND_TRANSFORMS,
);

verifies(
  'infer:embedding:pooling',
  async (arm) => {
    const { stdout } = await arm.run('embedder', ['infer', 'a b c', '--pooling=none', '--normalize=true']);
    const [tokens] = JSON.parse(stdout).embeddings;
    expect(tokens).toHaveLength(3);
    for (const vector of tokens) expect(norm(vector)).toBeCloseTo(1, 5);
  },
  ARMS_AND_TRANSFORMS,
);

verifies('infer:out-dir', async (arm) => {
  const file = join(folder(), 'result.json');
  const { exitCode, stdout } = await arm.run('sentiment', ['infer', 'I love this', '-o', file]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' });
  expect(JSON.parse(readFileSync(file, 'utf8')).predictions).toHaveLength(1);
  const missing = await arm.run('sentiment', [
    'infer',
    'x',
    '--out-dir',
    join(folder(), 'none', 'result.json'),
  ]);
  expect(missing.exitCode).toBe(1);
  expect(missing.stderr).toMatch(/^Error: Cannot write .*result\.json: its folder does not exist/);
});

verifies('infer:format', async (arm) => {
  expect((await arm.run('sentiment', ['infer', '-f', 'json', 'good'])).exitCode).toBe(0);
  const { exitCode, stderr } = await arm.run('sentiment', ['infer', '--format=xml', 'good']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('--format: "xml" is not one of json.');
});

verifies('infer:empty', async (arm) => {
  for (const texts of [[''], ['fine', '']]) {
    const { exitCode, stdout, stderr } = await arm.run('sentiment', ['infer', ...texts]);
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'Error: Cannot tokenize empty string\n',
    });
  }
  const blank = await arm.run('ner', ['infer', ' \t ']);
  expect(JSON.parse(blank.stdout).predictions).toEqual([{ tokens: [], labels: [] }]);
});

verifies('infer:timing', async (arm) => {
  const plain = await arm.run('sentiment', ['infer', 'good']);
  const timed = await arm.run('sentiment', ['infer', 'good', '--timing', '--json']);
  expect({ ...timed, stderr: '' }).toEqual({ ...plain, stderr: '' });
  const { timing } = JSON.parse(timed.stderr);
  const names = timing.steps.map(({ step }: { step: string }) => step);
  expect(names.toSorted()).toEqual(Object.keys(STEPS).toSorted());
  for (const { start_ms, ms, times } of timing.steps) {
    expect(start_ms >= 0 && ms >= 0 && start_ms + ms <= timing.total_ms + 0.1 && times === 1).toBe(true);
  }
  expect(names.indexOf('session')).toBeGreaterThan(names.indexOf('thread'));
  expect(names.at(-1)).toBe('results');

  const { stderr } = await arm.run('sentiment', ['infer', 'good', '--timing']);
  expect(stderr).toMatch(/^ start ms +ms {2}step\n +0\.0 +[\d.]+ {2}node: start Node\n/);
  expect(stderr).toMatch(/\n +[\d.]+ {2}total\n$/);
});

verifiesOnce('infer:device', async () => {
  const path = builtExecutable('sentiment');
  const input = 'good\nbad\n';
  const run = async (device: string) =>
    await runExecutable(path, ['infer', '--input', '-', '--input-format', 'txt', '--device', device], {
      input,
      env: { ...NO_GPU, ENCODERFILE_SOFTWARE_GPU: '1' },
    });
  const [cpu, auto, gpu] = [await run('cpu'), await run('auto'), await run('gpu')];
  expect(cpu).toMatchObject({ exitCode: 0, stderr: '' });
  expect(auto).toMatchObject({ exitCode: 0, stdout: cpu.stdout });
  expect(auto.stderr).toMatch(/^Device: CPU: no Vulkan driver for a GPU was found/m);
  expect(gpu).toMatchObject({ exitCode: 1, stdout: '' });
  expect(gpu.stderr).toMatch(/^Error: --device gpu: no Vulkan driver/m);
  const text = await runExecutable(path, ['infer', 'good', '--device', 'gpu']);
  expect(text).toMatchObject({ exitCode: 2, stdout: '' });
  expect(text.stderr).toMatch(/^Error: --device requires --input\./);
});

verifies('infer:missing-inputs', async (arm) => {
  const { exitCode, stderr } = await arm.run('sentiment', ['infer']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('Missing argument <INPUTS>');
});

verifies('infer:unknown-flag', async (arm) => {
  const { exitCode, stdout, stderr } = await arm.run('sentiment', ['infer', 'x', '--nope']);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr.split('\n')[0]).toMatch(/^Error: Unknown option '--nope'/);
  expect(stderr).not.toMatch(/^\s+at /m);
});

verifies('infer:option-of-another-type', async (arm) => {
  const { exitCode, stderr } = await arm.run('sentiment', ['infer', 'x', '--normalize=true']);
  expect(exitCode).toBe(1);
  expect(stderr).toBe(
    'Error: --normalize requires an embedding model, but this is a sequence_classification model. Remove the flag.\n',
  );
});

verifies('infer:dash-text', async (arm) => {
  const { exitCode, stdout } = await arm.run('sentiment', ['infer', '--', '--love', '-x']);
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout).predictions).toHaveLength(2);
});

verifies('help:exit-codes', async (arm) => {
  const help = await arm.run('sentiment', ['--help']);
  expect(help.exitCode).toBe(0);
  for (const command of ['infer', 'inspect', 'verify', 'version']) {
    expect(help.stdout).toContain(command);
    expect((await arm.run('sentiment', [command, '--help'])).stdout).toContain(`Usage: `);
  }
  const unknown = await arm.run('sentiment', ['train']);
  expect(unknown.exitCode).toBe(2);
  expect(unknown.stderr).toContain('Unknown command "train"');
  expect((await arm.run('sentiment', [])).exitCode).toBe(2);
});

verifies('inspect:facts', async (arm) => {
  const { stdout } = await arm.run('sentiment', ['inspect', '--json']);
  const { model, sections, runtime } = JSON.parse(stdout);
  expect(model).toMatchObject({ name: 'sentiment', modelType: 'sequence_classification', width: 2 });
  expect(sections.map(({ name }: { name: string }) => name)).toContain('weights');
  expect(runtime.node).toMatch(/^26\./);
  const table = await arm.run('sentiment', ['inspect']);
  expect(table.stdout).toMatch(/Labels\s+NEGATIVE, POSITIVE/);
});

verifies('inspect:memory', async (arm) => {
  const { stdout } = await arm.run('sentiment', ['inspect']);
  expect(stdout).toMatch(/Memory\s+about \S+ [kM]B for a text of 128 tokens, plus the weights/);
});

verifies('executable:completion', async (arm) => {
  const { exitCode, stdout } = await arm.run('sentiment', ['completion', 'bash']);
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: expect.stringContaining('serve infer mcp bench'),
  });
});

verifies('executable:json', async (arm) => {
  const json = async (...args: string[]): Promise<unknown> =>
    JSON.parse((await arm.run('sentiment', [...args, '--json'])).stdout);
  expect(await json('verify')).toMatchObject({ intact: true });
  expect(await json('version')).toMatchObject({ name: expect.any(String), node: process.versions.node });
  const { exitCode, stderr } = await arm.run('sentiment', ['infer', '', '--json']);
  expect({ exitCode, error: JSON.parse(stderr) }).toMatchObject({
    exitCode: 1,
    error: { error: { code: 'InputError' } },
  });
});

verifies('verify:intact', async (arm) => {
  const { exitCode, stdout } = await arm.run('sentiment', ['verify']);
  expect(exitCode).toBe(0);
  expect(stdout.trimEnd()).toMatch(/is intact\.$/);
});
