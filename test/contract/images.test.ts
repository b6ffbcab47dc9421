import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runCliHere as runCli } from '../helpers/cli-here.ts';
import { expectClose } from '../helpers/close.ts';
import { SHAPES } from '../helpers/golden-shapes.ts';
import { writeConfig } from '../helpers/model-folder.ts';
import { FIXTURES, TEST_CACHE } from '../helpers/paths.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { runExecutable } from './arms.ts';
import { TRANSPORTS } from './clients.ts';
import { shareServers } from './shared-servers.ts';
import { verifies, verifiesOnce, verifiesServed } from './verifies.ts';

const folder = useTempFolder();
const serve = shareServers();
const MODELS = [
  { model: 'shapes', service: 'ImageClassification', member: 'logits' },
  { model: 'patches', service: 'ImageEmbedding', member: 'embedding' },
] as const;

verifiesServed('images:golden', async (arm) => {
  for (const { model, service, member } of MODELS) {
    const served = await serve(arm, model);
    for (const transport of TRANSPORTS) {
      const { name } = transport;
      const client = await transport.connect(served, service);
      const inputs = SHAPES.map(({ bytes, base64 }) => (name === 'grpc' ? bytes : base64));
      const together = (await client.predict({ inputs })).results;
      for (const [at, image] of SHAPES.entries()) {
        const [alone] = (await client.predict({ inputs: inputs.slice(at, at + 1) })).results;
        for (const result of [together[at], alone])
          expectClose(result?.[member], image[model], `${image.name} with ${model} over ${name}`);
        if (model === 'shapes') expect(together[at]?.predicted_label, image.name).toBe(image.label);
      }
      await client.close();
    }
  }
});

verifiesServed('images:forms', async (arm) => {
  const [{ url: shapes }, { url: patches }] = [await serve(arm, 'shapes'), await serve(arm, 'patches')];
  const send = async (
    url: string,
    body: string | FormData | Uint8Array<ArrayBuffer>,
    type?: string,
  ): Promise<unknown> => {
    const headers = type === undefined ? {} : { 'content-type': type };
    const response = await fetch(url, { method: 'POST', body, headers });
    const text = await response.text();
    expect(response.status, text).toBe(200);
    return JSON.parse(text);
  };
  const asJson = (url: string, body: object): Promise<unknown> =>
    send(url, JSON.stringify(body), 'application/json');
  for (const { base64, bytes, name } of SHAPES) {
    const expected = await asJson(`${shapes}/predict`, { inputs: [base64], top_k: 2 });
    const dataUrl = `data:image/x-any;base64,${base64}`;
    expect(await asJson(`${shapes}/predict`, { inputs: [dataUrl], top_k: 2 })).toEqual(expected);
    const form = new FormData();
    form.append('file', new Blob([Uint8Array.from(bytes)]), name);
    form.append('top_k', '2');
    expect(await send(`${shapes}/predict`, form)).toEqual(expected);
    const { results } = (await send(`${shapes}/predict`, Uint8Array.from(bytes), 'image/png')) as {
      results: { logits: number[] }[];
    };
    expect((expected as { results: object[] }).results).toMatchObject(results);
    const ranked = (await send(`${shapes}/`, Uint8Array.from(bytes), 'image/jpeg')) as { label: string }[];
    expect(ranked).toEqual(await asJson(`${shapes}/`, { inputs: dataUrl }));
    expect(ranked.map(({ label }) => label)).toHaveLength(3);
    const vector = ((await asJson(`${patches}/embed`, { inputs: base64 })) as number[][])[0];
    const openAi = await asJson(`${patches}/v1/embeddings`, { input: [{ image: base64 }, dataUrl] });
    expect(openAi).toMatchObject({ data: [{ embedding: vector }, { embedding: vector }] });
    const cohere = await asJson(`${patches}/v2/embed`, { images: [dataUrl] });
    expect(cohere).toMatchObject({ embeddings: { float: [vector] } });
  }
});

verifiesServed('images:refused', async (arm) => {
  const { url } = await serve(arm, 'shapes');
  const good = SHAPES[0]?.base64 ?? '';
  const refusal = async (...inputs: unknown[]): Promise<{ status: number; text: string }> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/predict`, {
      method: 'POST',
      body: JSON.stringify({ inputs }),
      headers,
    });
    return { status: response.status, text: await response.text() };
  };
  const base64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64');
  expect(await refusal(good, 'a photo of a cat')).toEqual({
    status: 422,
    text: 'Input 1 must be an image in base64 or a data: URL, not "a photo of a cat".',
  });
  expect((await refusal(good, base64('a text'))).text).toBe(
    'Input 1: The image is not a JPEG, PNG, WebP or GIF file. Convert it to one of these formats.',
  );
  expect((await refusal('')).text).toMatch(/has no image/);
  expect((await refusal()).text).toMatch(/has no image/);
  expect((await refusal(['a', 'b'])).status).toBe(422);
  for (const { bytes, name } of SHAPES) {
    const cut = bytes.subarray(0, Math.floor(bytes.length / 2));
    const { status, text } = await refusal(good, base64(cut));
    expect({ name, status, text }).toEqual({
      name,
      status: 422,
      text: expect.stringMatching(/^Input 1: .*\.$/s),
    });
    expect(text.split('\n')).toHaveLength(1);
  }
  const huge = Buffer.from(SHAPES.find(({ name }) => name.endsWith('.png'))?.bytes ?? '');
  huge.writeUInt32BE(60_000, 16);
  huge.writeUInt32BE(60_000, 20);
  expect(await refusal(base64(huge))).toEqual({
    status: 413,
    text: expect.stringMatching(/^Input 0: The PNG image has 60000 x 60000 pixels; at most \d+ pixels/),
  });
  // The server still answers.
  expect((await refusal(good)).status).toBe(200);
});

verifies('images:infer', async (arm) => {
  const paths = SHAPES.map(({ path }) => path);
  const { exitCode, stdout, stderr } = await arm.run('shapes', ['infer', ...paths]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const { predictions } = JSON.parse(stdout) as { predictions: { label: string }[] };
  expect(predictions.map(({ label }) => label)).toEqual(SHAPES.map(({ label }) => label));
  const found = await arm.run('patches', ['infer', ...paths]);
  const { embeddings } = JSON.parse(found.stdout) as { embeddings: number[][] };
  for (const [at, { patches, name }] of SHAPES.entries()) expectClose(embeddings[at], patches, name);
  const missing = await arm.run('shapes', ['infer', 'missing.png']);
  expect(missing).toMatchObject({ exitCode: 1, stdout: '' });
  expect(missing.stderr).toBe(
    'Error: No such file: missing.png. Pass the path of an image, or a data: URL.\n',
  );
  const cut = join(folder(), 'cut.png');
  writeFileSync(cut, (SHAPES[0]?.bytes ?? Buffer.alloc(0)).subarray(0, 300));
  const damaged = await arm.run('shapes', ['infer', ...paths, cut]);
  expect(damaged).toMatchObject({ exitCode: 1, stdout: '' });
  expect(damaged.stderr).toMatch(/^Error: \S+cut\.png: Cannot read the PNG image: .*\.\n$/);
  const list = join(folder(), 'list.txt');
  writeFileSync(list, `${paths[0]}\n${list}\n${paths[1]}\n`);
  const lines = await arm.run('shapes', ['infer', '--input', list]);
  expect(lines.exitCode).toBe(1);
  expect(
    lines.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object),
  ).toMatchObject([
    { index: 0, label: SHAPES[0]?.label },
    { index: 1, error: expect.stringContaining('not a JPEG, PNG, WebP or GIF file') },
    { index: 2, label: SHAPES[1]?.label },
  ]);
});

verifiesServed('images:served-limits', async (arm) => {
  const images = SHAPES.map(({ bytes }) => bytes);
  const lengths = images.map(({ length }) => length).sort((a, b) => a - b);
  const limit = lengths[1] ?? 0;
  const served = await serve(arm, 'shapes', [
    '--max-image-bytes',
    String(limit),
    '--max-image-pixels',
    '100000',
  ]);
  for (const transport of TRANSPORTS) {
    const client = await transport.connect(served, 'ImageClassification');
    for (const { bytes, base64, label } of SHAPES) {
      const request = client.predict({ inputs: [transport.name === 'grpc' ? bytes : base64] });
      const found = await request.then(
        ({ results }) => results[0]?.predicted_label,
        (error: unknown) => String(error),
      );
      if (bytes.length <= limit) expect(found).toBe(label);
      else expect(found).toContain(`The image has ${bytes.length} bytes; at most ${limit} are allowed.`);
    }
    await client.close();
  }
  const model = (await (await fetch(`${served.url}/model`)).json()) as object;
  expect(model).toMatchObject({ max_image_bytes: limit, max_image_pixels: 100_000 });
});

const settingsOf = (folder: string): object =>
  JSON.parse(readFileSync(join(folder, 'preprocessor_config.json'), 'utf8')) as object;

verifiesOnce('images:channels-last', async () => {
  const path = join(folder(), 'model');
  cpSync(join(FIXTURES, 'models/shapes'), path, { recursive: true });
  rmSync(join(path, 'model.safetensors'));
  rmSync(join(path, 'encoderfile.yml'));
  cpSync(join(FIXTURES, 'graphs/red-or-blue-channels-last.onnx'), join(path, 'model.onnx'));
  const size = { height: 8, width: 4 };
  const settings = { ...settingsOf(path), size, image_mean: [0, 0, 0], image_std: [1, 1, 1] };
  writeFileSync(join(path, 'preprocessor_config.json'), JSON.stringify(settings));
  const labels = { id2label: { 0: 'red', 1: 'blue' }, label2id: { red: 0, blue: 1 } };
  writeFileSync(
    join(path, 'config.json'),
    JSON.stringify({ architectures: ['ViTForImageClassification'], ...labels }),
  );
  const output = join(folder(), 'model.encoder');
  const args = ['build', path, '-o', output, '--cache-dir', TEST_CACHE];
  expect(await runCli(args, { cwd: folder() })).toMatchObject({ exitCode: 0 });
  const red = 'data:image/gif;base64,R0lGODlhAQABAIAAAP8AAAAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==';
  const blue = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAA/wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==';
  // Softmax of 4 and -4.
  const score = expect.closeTo(1 / (1 + Math.exp(-8)), 6);
  for (const images of [[red], [blue, red, blue]]) {
    const { stdout } = await runExecutable(output, ['infer', ...images]);
    expect((JSON.parse(stdout) as { predictions: object[] }).predictions).toEqual(
      images.map((image) => ({ label: image === red ? 'red' : 'blue', score })),
    );
  }
  // A wrong size is reported with the axes in the order of the others.
  const other = { ...settings, size: { height: 4, width: 8 } };
  writeFileSync(join(path, 'preprocessor_config.json'), JSON.stringify(other));
  expect((await runCli([...args, '--force'], { cwd: folder() })).stderr).toContain(
    'has the shape [any, 3, 8, 4], but images have 3 channels and 4 x 8 pixels',
  );
});

verifiesOnce('images:build', async () => {
  const path = join(folder(), 'model');
  const copy = (model: string): void => {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path);
    cpSync(join(FIXTURES, 'models', model), path, { recursive: true });
    rmSync(join(path, 'encoderfile.yml'));
  };
  const build = async (...flags: string[]) => {
    const output = join(folder(), 'model.encoder');
    const args = ['build', path, '-o', output, '--force', '--cache-dir', TEST_CACHE, ...flags];
    return { ...(await runCli(args, { cwd: folder() })), output };
  };
  for (const [model, type] of [
    ['shapes', 'image_classification'],
    ['patches', 'image_embedding'],
  ] as const) {
    copy(model);
    const { exitCode, stderr, stdout, output } = await build();
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(stderr).toContain(`is of type ${type}`);
    expect(stdout).toContain('infer photo.jpg');
    const { stdout: table } = await runExecutable(output, ['inspect']);
    expect(table).toMatch(/^Images +scaled to \d+ x \d+ pixels$/m);
  }
  // A graph of another library: its input has another name, and it returns scores instead of logits.
  copy('shapes');
  rmSync(join(path, 'model.safetensors'));
  cpSync(join(FIXTURES, 'graphs/red-or-blue.onnx'), join(path, 'model.onnx'));
  const small = {
    ...settingsOf(path),
    size: { height: 8, width: 8 },
    image_mean: [0, 0, 0],
    image_std: [1, 1, 1],
  };
  writeFileSync(join(path, 'preprocessor_config.json'), JSON.stringify(small));
  const labels = { id2label: { 0: 'red', 1: 'blue' }, label2id: { red: 0, blue: 1 } };
  const model = JSON.parse(readFileSync(join(path, 'config.json'), 'utf8')) as object;
  writeFileSync(join(path, 'config.json'), JSON.stringify({ ...model, ...labels }));
  const other = await build();
  expect(other.stderr).toContain('The graph ends in Softmax, so its output is used as scores');
  const red = 'data:image/gif;base64,R0lGODlhAQABAIAAAP8AAAAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==';
  const { stdout } = await runExecutable(other.output, ['infer', red]);
  // Softmax of 4 and -4.
  expect((JSON.parse(stdout) as { predictions: object[] }).predictions).toEqual([
    { label: 'red', score: expect.closeTo(1 / (1 + Math.exp(-8)), 6) },
  ]);
  copy('patches');
  const validate = async (fields: object): Promise<string> => {
    const config = writeConfig(folder(), { path, model_type: 'image_embedding', ...fields });
    const env = { XDG_CACHE_HOME: TEST_CACHE };
    const { exitCode, stdout } = await runCli(['validate', '-f', config, '--json'], { cwd: folder(), env });
    return exitCode === 0 ? 'valid' : stdout;
  };
  expect(await validate({ pooling: 'mean', normalize: true })).toBe('valid');
  expect(await validate({ max_length: 10 })).toContain(
    '`max_length` is not supported for model_type image_embedding',
  );
  // The matrices of this model are too small to quantize.
  expect(await validate({ quantize: 'int8' })).toContain('has no float32 matrices that can be quantized');
  expect(await validate({ quantize: 'auto' })).toBe('valid');
  expect(await validate({ quantize: 'int8', calibration: 'photo.txt' })).toContain('which is not a folder');
  const settings = join(path, 'preprocessor_config.json');
  const processor = JSON.parse(readFileSync(settings, 'utf8')) as object;
  writeFileSync(settings, JSON.stringify({ ...processor, crop_size: { height: 3, width: 3 } }));
  expect(await validate({})).toMatch(/have 0 patches of `patch_size`/);
  rmSync(settings);
  expect(await validate({})).toMatch(/no preprocessor_config\.json/);
});
