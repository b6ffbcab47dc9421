import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isHost, PLATFORMS } from '#contract/platforms.ts';
import { inspectEncoderFile } from '#gateway/evaluation/work/backends/inspect-encoder-file.ts';
import { modelFor, smallContainer } from '#test/helpers/small-container.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { signal, toolsOf } from '../working.ts';

const folder = useTempFolder();
const [here = ''] = PLATFORMS.filter((one) => isHost(one, process)).map(({ triple }) => triple);
const [elsewhere = ''] = PLATFORMS.filter(({ triple }) => triple !== here).map(({ triple }) => triple);

function file(bytes: Uint8Array, mode = 0o755): string {
  const path = join(folder(), 'model.encoder');
  writeFileSync(path, bytes, { mode });
  return path;
}

const inspect = (path: string, { runsHere = true, trusted = true } = {}) =>
  inspectEncoderFile({ kind: 'encoder-file', path }, toolsOf({ trusted }), { runsHere, signal });

test('the model type and labels are read from the executable, which can be built for any platform if jobs run on a cluster', async () => {
  const path = file(modelFor(elsewhere), 0o644);
  const model = await inspect(path, { runsHere: false });
  expect(model).toMatchObject({ modelType: 'sequence_classification', labels: ['NEGATIVE', 'POSITIVE'] });
  await expect(model.classify?.(['a'], signal)).rejects.toThrow(`${path} is not running.`);
  await model.close();
  const embedder = await inspect(file(modelFor(elsewhere, 'embedding')), { runsHere: false });
  expect(embedder.tokenVectors).toBeDefined();
  await expect(inspect(file(modelFor(elsewhere, 'later_type')), { runsHere: false })).rejects.toThrow(
    'does not report its model type',
  );
  await expect(inspect(file(modelFor(elsewhere, 'fill_mask')), { runsHere: false })).rejects.toThrow(
    'is a fill_mask model, which workflows cannot use',
  );
});

test('a local job requires an executable for this platform', async () => {
  await expect(inspect(file(modelFor(elsewhere)))).rejects.toThrow(
    `is for ${elsewhere}, but jobs run on this machine (${process.platform}, ${process.arch}). Build it for this machine, or run jobs on a Ray cluster.`,
  );
  expect((await inspect(file(modelFor(here)))).labels).toHaveLength(2);
});

test('files that are damaged, not allowed or contain no model are rejected without being executed', async () => {
  const path = file(modelFor(here));
  await expect(inspect(path, { trusted: false })).rejects.toMatchObject({ reason: 'files_not_allowed' });
  const damaged = Buffer.from(modelFor(here));
  damaged.write('X', damaged.indexOf('POSITIVE'));
  await expect(inspect(file(damaged))).rejects.toThrow(/manifest/);
  await expect(inspect(file(smallContainer({ runtime: '{}' })))).rejects.toThrow('contains no model');
  await expect(inspect(file(Buffer.from('#!/bin/sh\n')))).rejects.toThrow(
    'is not an encoderfile executable, or it is truncated (10 bytes).',
  );
  await expect(inspect(join(folder(), 'none.encoder'))).rejects.toThrow('No such file: ');
  mkdirSync(join(folder(), 'assets'));
  await expect(inspect(join(folder(), 'assets'))).rejects.toThrow('is a folder. Pass a file.');
  if (process.platform === 'win32') return;
  const pipe = join(folder(), 'pipe.encoder');
  execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
  await expect(inspect(pipe)).rejects.toThrow(`${pipe} is not a file.`);
});

test.runIf(process.platform !== 'win32')('a file without execute permission is rejected', async () => {
  const path = join(folder(), 'plain.encoder');
  writeFileSync(path, modelFor(here), { mode: 0o644 });
  await expect(inspect(path)).rejects.toThrow(`${path} is not executable. Change its permissions.`);
});
