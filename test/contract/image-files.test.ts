import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Quantization } from '#contract/quantization.ts';
import { builtExecutable } from '../helpers/built.ts';
import { runCliHere as runCli } from '../helpers/cli-here.ts';
import { SHAPES } from '../helpers/golden-shapes.ts';
import { writeConfig } from '../helpers/model-folder.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import { SIDE, writeRandomVit } from '../helpers/random-vit.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { runExecutable } from './arms.ts';
import { verifies, verifiesOnce } from './verifies.ts';

const folder = useTempFolder();

verifies('images:folder', async (arm) => {
  const photos = join(folder(), 'Fotos – 写真');
  rmSync(photos, { recursive: true, force: true });
  mkdirSync(join(photos, 'more.png'), { recursive: true });
  const [first, second, third] = SHAPES;
  if (!first || !second || !third) throw new Error('three shapes');
  // The extension decides whether a file is read, and its content which format it has.
  writeFileSync(join(photos, 'b.PNG'), first.bytes);
  writeFileSync(join(photos, 'a ü.jpeg'), second.bytes);
  writeFileSync(join(photos, 'notes.txt'), 'not an image');
  writeFileSync(join(photos, '.hidden.png'), third.bytes);
  const names = [join(photos, 'a ü.jpeg'), join(photos, 'b.PNG')];
  const labels = [second.label, first.label];
  const { exitCode, stdout, stderr } = await arm.run('shapes', ['infer', photos, third.path]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({
    images: [...names, third.path],
    predictions: [...labels, third.label].map((label) => ({ label })),
  });
  // Without a folder, the order is that of the arguments.
  expect(JSON.parse((await arm.run('shapes', ['infer', ...names])).stdout)).not.toHaveProperty('images');
  const lines = async (...flags: string[]): Promise<unknown[]> => {
    const run = await arm.run('shapes', ['infer', '--input', photos, ...flags]);
    expect(run).toMatchObject({ exitCode: 0 });
    const text = flags.length > 0 ? readFileSync(join(photos, 'out.jsonl'), 'utf8') : run.stdout;
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  };
  const expected = names.map((image, index) => ({ index, image, label: labels[index] }));
  expect(await lines()).toMatchObject(expected);
  expect(await lines('--output', join(photos, 'out.jsonl'))).toMatchObject(expected);
  for (const args of [
    [...names, '--out-dir', names[1] ?? ''],
    ['--input', photos, '--output', names[1] ?? ''],
  ]) {
    const refused = await arm.run('shapes', ['infer', ...args]);
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toBe(
      `Error: Cannot write ${names[1]}: it is one of the images. Choose another output path.\n`,
    );
  }
  expect(readFileSync(names[1] ?? '')).toEqual(Buffer.from(first.bytes));
  const empty = join(photos, 'more.png');
  expect((await arm.run('shapes', ['infer', empty])).stderr).toBe(
    `Error: The folder ${empty} contains no images (.jpg, .jpeg, .png, .webp, .gif). Images in its subfolders are not read; pass each subfolder.\n`,
  );
});

verifies('images:unreadable', async (arm) => {
  const photos = join(folder(), 'unreadable');
  const [circle] = SHAPES;
  if (!circle) throw new Error('a shape');
  mkdirSync(join(photos, 'closed'), { recursive: true });
  const loop = join(photos, 'loop.png');
  symlinkSync(loop, loop);
  symlinkSync(photos, join(photos, 'folder.png'));
  symlinkSync(join(photos, 'gone'), join(photos, 'gone.png'));
  writeFileSync(join(photos, 'ok.png'), circle.bytes);
  // Each image that cannot be read is one line, also in a folder that contains itself.
  const listed = await arm.run('shapes', ['infer', '--input', photos]);
  expect(listed.exitCode).toBe(1);
  const linesOf = (stdout: string): unknown[] =>
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  const notAFile = `${join(photos, 'folder.png')} is not a file. Pass the path of an image.`;
  const missing = (name: string): string =>
    `No such file: ${join(photos, name)}. Pass the path of an image, or a data: URL.`;
  const looped = `Cannot read ${loop} (ELOOP). Pass the path of an image that this user can read.`;
  expect(linesOf(listed.stdout)).toMatchObject([
    { index: 0, image: join(photos, 'folder.png'), error: notAFile },
    { index: 1, error: missing('gone.png') },
    { index: 2, error: looped },
    { index: 3, label: circle.label },
  ]);
  const rows = join(folder(), 'rows.jsonl');
  const paths = ['ok.png', 'ü – 写真.png', 'gone.png'].map((name) => ({ path: join(photos, name) }));
  writeFileSync(
    rows,
    [...paths, { path: '' }, { path: 'A'.repeat(100_000) }].map((row) => JSON.stringify(row)).join('\n'),
  );
  const read = await arm.run('shapes', ['infer', '--input', rows, '--column', 'path']);
  expect(read.exitCode).toBe(1);
  expect(linesOf(read.stdout)).toMatchObject([
    { label: circle.label },
    { error: missing('ü – 写真.png') },
    { error: missing('gone.png') },
    { error: 'The path of an image is empty. Pass the path of an image.' },
    { error: expect.stringMatching(/^Cannot read A{40}… \(ENAMETOOLONG\)\./) },
  ]);
  expect(await arm.run('shapes', ['infer', loop])).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: `Error: ${looped}\n`,
  });
  // The administrator can read everything.
  if (process.getuid?.() === 0) return;
  chmodSync(join(photos, 'closed'), 0);
  expect((await arm.run('shapes', ['infer', join(photos, 'closed')])).stderr).toBe(
    `Error: Cannot read the folder ${join(photos, 'closed')} (EACCES). Check its permissions.\n`,
  );
});

verifiesOnce('images:limits', async () => {
  const [circle] = SHAPES;
  if (!circle) throw new Error('a shape');
  const { length } = circle.bytes;
  const executable = builtExecutable('shapes');
  const infer = async (args: readonly string[], stdin?: Uint8Array): Promise<string> => {
    const { exitCode, stdout, stderr } = await runExecutable(executable, ['infer', ...args], {
      input: stdin,
    });
    return exitCode === 0 ? stdout : stderr;
  };
  expect(await infer(['-'], circle.bytes)).toBe(await infer([circle.path]));
  expect(await infer(['-', '-'], circle.bytes)).toBe(
    'Error: Standard input (-) can only contain one image. Pass - once.\n',
  );
  expect(await infer(['-'], new Uint8Array())).toMatch(/^Error: Standard input contains no image\./);
  expect(await infer(['--max-image-bytes', String(length), circle.path])).toContain(circle.label);
  expect(await infer(['--max-image-bytes', String(length - 1), circle.path])).toBe(
    `Error: ${circle.path} has ${length} bytes; at most ${length - 1} are allowed (--max-image-bytes). Use a smaller image.\n`,
  );
  expect(await infer(['--max-image-bytes', String(length - 1), '-'], circle.bytes)).toMatch(
    /^Error: data:;base64,.{27}…: The image has \d+ bytes; at most/,
  );
  expect(await infer(['--max-image-pixels', '10', circle.path])).toMatch(
    /circle\.\w+: The \w+ image has \d+ x \d+ pixels; at most 10 pixels .*\. --max-image-bytes and --max-image-pixels set the limits\.\n$/,
  );
  expect(await infer(['--max-image-pixels', 'many', circle.path])).toContain(
    '--max-image-pixels: "many" is not a whole number',
  );
});

verifiesOnce('images:int8', async () => {
  const model = join(folder(), 'vit');
  mkdirSync(model);
  writeRandomVit(model);
  const processor = { image_processor_type: 'ViTImageProcessor', size: { height: SIDE, width: SIDE } };
  writeFileSync(join(model, 'preprocessor_config.json'), JSON.stringify(processor));
  const validate = async (fields: object): Promise<string> => {
    const settings = { path: model, model_type: 'image_embedding', quantize: 'int8', ...fields };
    const run = await runCli(['validate', '-f', writeConfig(folder(), settings), '--json'], {
      cwd: folder(),
      env: { XDG_CACHE_HOME: TEST_CACHE },
    });
    return run.stdout;
  };
  const { manifest } = JSON.parse(await validate({})) as { manifest: { quantization: Quantization } };
  expect(manifest.quantization).toMatchObject({ form: 'int8', products: 6, accuracy: { texts: 64 } });
  expect(manifest.quantization.accuracy.cosine?.mean).toBeGreaterThan(0.999);
  expect(await validate({ min_cosine: 1 })).toContain(
    'set `calibration` to a folder with images like yours, or remove `quantize`.',
  );
});
