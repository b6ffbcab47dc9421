import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inputError } from '#contract/errors.ts';
import { withOwnErrors } from '#encoder/library/errors.ts';
import { open, requireNode } from '#encoder/library/index.ts';
import { checkOptions, engineOptions } from '#encoder/library/options.ts';
import { vectorInBase64, vectorsInJson } from '#encoder/library/vectors.ts';
import { encodeVector } from '#encoder/json/vector-writer.ts';
import { copyModel } from '#test/helpers/models.ts';

describe('options', () => {
  test('limits that protect the queue of a server do not apply', () => {
    expect(engineOptions({}).limits).toMatchObject({ maxClientBatch: Infinity, maxQueue: Infinity });
  });

  test.each([
    [{ threads: 0 }, 'Invalid threads: 0. Valid values: a positive integer.'],
    [{ device: 'tpu' }, 'Invalid device: "tpu". Valid values: auto, cpu, gpu.'],
    [{ verbose: 'yes' }, 'Invalid verbose: "yes". Valid values: true or false.'],
    [{ cacheDir: '' }, 'Invalid cacheDir: "". Valid values: a string.'],
    [{ constructor: 1 }, /^open has no option "constructor"\./],
  ])('%j is rejected', (options, message) => {
    expect(() => checkOptions(options)).toThrow(message);
  });

  test('undefined options have their default values', () => {
    expect(() => checkOptions({ workers: undefined, resultCache: 0 })).not.toThrow();
  });
});

test.each(['22.3.0', '23.0.0', '26.10.0'])('Node %s is supported', (version) => {
  expect(() => requireNode(version)).not.toThrow();
});

test.each(['20.19.6', '22.2.9'])('Node %s is too old', (version) => {
  expect(() => requireNode(version)).toThrow(/^encoderfile requires Node 22\.3 or newer/);
});

test('messages name the options of the package instead of flags', async () => {
  const fail = (message: string) => withOwnErrors({}, () => Promise.reject(inputError(message)));
  await expect(fail('the maximum is 5 (--max-input-chars).')).rejects.toThrow('(maxInputChars)');
  await expect(fail('start the server with --on-overflow truncate.')).rejects.toThrow('set onOverflow to');
  await expect(fail('Install again without --omit=optional.')).rejects.toThrow('--omit=optional');
});

test('a vector in base64 is read with all of its bits, from any position in a buffer', () => {
  const vector = Float32Array.of(0.1, -1.5, 3e-40, 1e30, 0);
  for (const offset of [0, 1, 2, 3]) {
    const encoded = Buffer.concat([Buffer.alloc(offset), encodeVector(vector, 'base64')]).subarray(offset);
    expect(vectorInBase64(encoded)).toEqual(vector);
  }
});

test('sparse vectors keep their tokens', () => {
  const json = '{"indices":[3,5],"values":[0.1,2],"tokens":["a",null]}';
  expect(vectorsInJson(json, 'sparse_embedding')).toEqual({
    indices: Int32Array.of(3, 5),
    values: Float32Array.of(0.1, 2),
    tokens: ['a', null],
  });
});

describe('from source', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'encoderfile-library-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('a model folder is built and opened in this process', async () => {
    const path = copyModel('sentiment', join(folder, 'sentiment'));
    const cacheDir = join(folder, 'cache');
    const model = await open(path, { type: 'sequence_classification', cacheDir });
    const [result] = await model.predict(['I love this'], { top_k: 1 });
    expect(result?.top?.[0]?.label).toBe(result?.predicted_label);
    await model.close();
    const canceled = open(copyModel('ner', join(folder, 'ner')), {
      cacheDir,
      signal: AbortSignal.timeout(20),
    });
    await expect(canceled).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});
