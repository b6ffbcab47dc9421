import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { builtExecutable } from '../helpers/built.ts';
import { SHAPES } from '../helpers/golden-shapes.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { verifies, verifiesOnce } from './verifies.ts';

const folder = useTempFolder();

verifies('bench:tables', async (arm) => {
  const { exitCode, stdout, stderr } = await arm.run('sentiment', [
    'bench',
    '--seconds',
    '1',
    '--json',
    // A fixed batch size means that the model is opened fewer times.
    '--max-batch-tokens',
    '512',
  ]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const { model, host, lengths, flags, best, best_single } = JSON.parse(stdout);
  expect(model).toEqual({ name: 'sentiment', version: '1.0.0', type: 'sequence_classification' });
  expect(host).toEqual({
    processor: expect.any(String),
    cores: expect.any(Number),
    memory_bytes: expect.any(Number),
  });
  const measured = lengths.filter(({ skipped }: { skipped: boolean }) => !skipped);
  // While other tests keep the CPUs busy, a second is not enough even for all short texts.
  expect(measured.length).toBeGreaterThanOrEqual(1);
  for (const { concurrency, requests, texts_per_second, p50_ms, p99_ms } of measured) {
    expect(requests >= concurrency && texts_per_second > 0 && p50_ms > 0 && p99_ms >= p50_ms).toBe(true);
  }
  const tokens = lengths.map((line: { tokens: number }) => line.tokens);
  expect([tokens[0], tokens[1], tokens[2], tokens[3]]).toEqual([16, 16, 16, 64]);
  expect(lengths.map((line: { concurrency: number }) => line.concurrency).slice(0, 3)).toEqual([1, 8, 64]);
  const tried = flags.results.map((result: { flags: string }) => result.flags);
  expect(tried).toEqual(
    expect.arrayContaining([
      '--max-batch-tokens 512',
      expect.stringMatching(/^--workers 1 --threads \d+ --max-batch-tokens 512$/),
    ]),
  );
  expect(flags.results[0]).toMatchObject({ concurrent: { gain: 1 }, single: { gain: 1 } });
  expect(tried).toContain(best);
  expect(tried).toContain(best_single);
});

verifies('bench:given-flags', async (arm) => {
  const args = ['bench', '--seconds', '1', '--workers', '1', '--max-batch-tokens', '512'];
  const { exitCode, stdout } = await arm.run('sentiment', args);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(
    /^sentiment 1\.0\.0 \(sequence_classification\) on \d+ x .+\n\ntokens +concurrent +texts\/s +p50 ms +p99 ms\n16 +1 /,
  );
  expect(stdout).toMatch(
    /\n--workers 1 --max-batch-tokens 512 +[\d.]+ +1\.00 +[\d.]+ +1\.00\n\nHighest throughput: serve --workers 1 --max-batch-tokens 512\n$/,
  );

  const refused = await arm.run('sentiment', ['bench', '--seconds', '0.5']);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain('--seconds: "0.5" is not a whole number from 1 to 3600.');
});

verifies('bench:images', async (arm) => {
  const flags = ['bench', '--seconds', '1', '--workers', '1', '--max-batch-tokens', '512'];
  const { exitCode, stdout, stderr } = await arm.run('shapes', [...flags, '--json']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const { model, lengths, images, flags: compared } = JSON.parse(stdout);
  expect(model.type).toBe('image_classification');
  expect(lengths).toEqual([]);
  expect(
    images.map(({ width, height, concurrency }: Record<string, number>) => [width, height, concurrency]),
  ).toEqual(
    [
      [320, 240],
      [640, 480],
      [1280, 960],
    ].flatMap((size) => [1, 8, 64].map((many) => [...size, many])),
  );
  expect(images[0]).toMatchObject({
    skipped: false,
    images_per_second: expect.any(Number),
    p99_ms: expect.any(Number),
  });
  expect(compared).toMatchObject({
    max_tokens: null,
    results: [{ concurrent: { images_per_second: expect.any(Number), gain: 1 } }],
  });

  const both = await arm.run('clip', flags);
  expect(both.stdout).toMatch(/\n\ntokens +concurrent +texts\/s +p50 ms +p99 ms\n16 +1 /);
  expect(both.stdout).toMatch(/\n\npixels +concurrent +images\/s +p50 ms +p99 ms\n320 x 240 +1 /);
  expect(both.stdout).toMatch(
    /\n\nTexts of up to \d+ tokens and images of up to 1280 x 960 pixels with different serve flags; .+\nflags +inputs\/s, /,
  );
});

verifies('bench:input', async (arm) => {
  const path = folder();
  for (const { name, bytes } of SHAPES.slice(0, 2)) writeFileSync(join(path, name), bytes);
  const flags = ['bench', '--seconds', '1', '--workers', '1', '--max-batch-tokens', '512'];
  const images = await arm.run('shapes', [...flags, '--input', path]);
  expect(images.stderr).toBe('');
  expect(images.stdout).toMatch(/\n\nimages +concurrent +images\/s +p50 ms +p99 ms\n2 +1 /);
  expect(images.stdout).toContain('\n\n2 images with different serve flags;');

  const lines = join(path, 'inputs.jsonl');
  writeFileSync(lines, `{"text": "a circle"}\n{"image": ${JSON.stringify(SHAPES[0]?.path)}}\n"a square"\n`);
  const both = await arm.run('clip', [...flags, '--json', '--input', lines]);
  const { lengths, images: measured } = JSON.parse(both.stdout);
  expect(lengths[0]).toMatchObject({ count: 2, concurrency: 1, texts_per_second: expect.any(Number) });
  expect(measured[0]).toMatchObject({ count: 1, concurrency: 1, images_per_second: expect.any(Number) });

  writeFileSync(join(path, 'bad.txt'), 'missing.png\n');
  for (const [args, message] of [
    [
      ['--input', join(path, 'bad.txt')],
      'No such file: missing.png. Pass the path of an image, or a data: URL.',
    ],
    [
      ['--input', lines, '--max-image-pixels', '10'],
      '--max-image-bytes and --max-image-pixels set the limits.',
    ],
    [['--input-format', 'txt'], '--input-format requires --input.'],
  ] as const) {
    const failed = await arm.run('clip', [...flags, ...args]);
    expect(failed.exitCode).not.toBe(0);
    expect(failed.stderr).toContain(message);
    expect(failed.stdout).toBe('');
  }
});

verifiesOnce('bench:interrupt', async () => {
  const running = spawn(builtExecutable('sentiment'), ['bench', '--seconds', '600'], {
    env: { ...process.env, ENCODERFILE_CACHE_DIR: TEST_CACHE },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = Promise.all([text(running.stdout), text(running.stderr)]);
  const ended = once(running, 'exit');
  // bench starts to measure once its threads have loaded ONNX Runtime.
  while (!readFileSync(`/proc/${running.pid}/maps`, 'utf8').includes('libonnxruntime')) await sleep(20);
  running.kill('SIGINT');
  expect(await ended).toEqual([null, 'SIGINT']);
  expect(await output).toEqual(['', '']);
});
