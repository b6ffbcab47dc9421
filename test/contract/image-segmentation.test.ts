import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { decodeImage } from '#platform/images/decode-image.ts';
import { runCliHere as runCli } from '../helpers/cli-here.ts';
import { REGIONS } from '../helpers/golden-regions.ts';
import { FIXTURES, TEST_CACHE } from '../helpers/paths.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { runExecutable } from './arms.ts';
import { TRANSPORTS } from './clients.ts';
import { shareServers } from './shared-servers.ts';
import { verifies, verifiesOnce, verifiesServed } from './verifies.ts';

const folder = useTempFolder();
const serve = shareServers();

/** An image of 8 x 9 pixels: the upper half is red, the lower half is blue. */
const HALVES =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAkAAAAICAIAAACkr0LiAAAAGklEQVR4nGP8z4ATMOGWIluOkYEBp420sA8AUjMCDUUNWP0AAAAASUVORK5CYII=';

interface Segment {
  readonly label: string;
  readonly share: number;
  readonly png?: string | Uint8Array;
  readonly mask?: unknown;
}

/** The segments with their shares as float32 numbers, which is how they are sent. */
const rounded = (segments: readonly Segment[]): object[] =>
  segments.map((segment) => ({ ...segment, share: expect.closeTo(segment.share, 6) as number }));

/** The lengths of the runs of a PNG mask, column by column. */
async function runsOf(png: Uint8Array): Promise<object> {
  const { height, width, pixels } = await decodeImage(png, 'discard');
  const counts = [0];
  for (let pixel = 0; pixel < height * width; pixel += 1) {
    const value = pixels[((pixel % height) * width + Math.floor(pixel / height)) * 3];
    if (value !== (counts.length % 2 === 1 ? 0 : 255)) counts.push(0);
    counts[counts.length - 1] = (counts.at(-1) ?? 0) + 1;
  }
  return { size: [height, width], counts };
}

verifiesServed('images:masks', async (arm) => {
  const served = await serve(arm, 'regions');
  for (const transport of TRANSPORTS) {
    const isGrpc = transport.name === 'grpc';
    const client = await transport.connect(served, 'ImageSegmentation');
    const inputs = REGIONS.map(({ bytes, base64 }) => (isGrpc ? bytes : base64));
    const together = (await client.predict({ inputs })).results as { segments: Segment[] }[];
    for (const [at, { name, segments }] of REGIONS.entries()) {
      const [alone] = (await client.predict({ inputs: inputs.slice(at, at + 1) })).results;
      for (const result of [together[at], alone as { segments: Segment[] } | undefined])
        expect(result?.segments, `${name} over ${transport.name}`).toMatchObject(
          rounded(segments.map(({ score, ...rest }) => (isGrpc ? rest : { score, ...rest }))),
        );
    }
    await client.close();
  }
});

verifiesServed('images:mask-forms', async (arm) => {
  const { url } = await serve(arm, 'regions');
  const post = async (path: string, body: object | FormData): Promise<unknown> => {
    const isForm = body instanceof FormData;
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      body: isForm ? body : JSON.stringify(body),
      ...(isForm ? {} : { headers: { 'content-type': 'application/json' } }),
    });
    const text = await response.text();
    return response.ok ? JSON.parse(text) : { status: response.status, text };
  };
  for (const { name, bytes, base64, segments } of REGIONS) {
    const form = new FormData();
    form.append('image', new Blob([Uint8Array.from(bytes)]), name);
    form.append('mask', 'png');
    const asForm = (await post('/predict', form)) as { results: { segments: Segment[] }[] };
    const asJson = await post('/predict', { inputs: [base64], mask: 'png' });
    expect(asForm).toEqual(asJson);
    const found = asForm.results[0]?.segments ?? [];
    expect(found.map(({ label }) => label)).toEqual(segments.map(({ label }) => label));
    for (const [at, { png, mask }] of found.entries()) {
      expect(mask).toBeUndefined();
      expect(await runsOf(Buffer.from(String(png), 'base64')), name).toEqual(segments[at]?.mask);
    }
    expect(await post('/', { inputs: base64 })).toEqual(
      found.map(({ label, png }) => ({ label, score: null, mask: png })),
    );
  }
  const inputs = REGIONS.slice(0, 1).map(({ base64 }) => base64);
  expect(await post('/predict', { inputs, mask: 'bits' })).toMatchObject({ status: 422 });
  // `mask` does not exist in the Inference API, which would ignore it.
  expect(await post('/predict', { inputs: inputs[0], mask: 'rle' })).toMatchObject({ status: 422 });
});

verifies('images:infer-masks', async (arm) => {
  const paths = REGIONS.map(({ path }) => path);
  const { exitCode, stdout, stderr } = await arm.run('regions', ['infer', ...paths]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const { predictions } = JSON.parse(stdout) as { predictions: { segments: Segment[] }[] };
  expect(predictions).toMatchObject(REGIONS.map(({ segments }) => ({ segments: rounded(segments) })));
  const png = await arm.run('regions', ['infer', '--mask', 'png', ...paths.slice(0, 1)]);
  const [first] = (JSON.parse(png.stdout) as { predictions: { segments: Segment[] }[] }).predictions;
  for (const [at, segment] of (first?.segments ?? []).entries())
    expect(await runsOf(Buffer.from(String(segment.png), 'base64'))).toEqual(REGIONS[0]?.segments[at]?.mask);
  expect(await arm.run('shapes', ['infer', '--mask', 'png', ...paths])).toMatchObject({
    exitCode: 1,
    stderr:
      'Error: --mask requires an image_segmentation model, but this is an image_classification model. Remove the flag.\n',
  });
});

verifiesOnce('images:build-segmentation', async () => {
  const path = join(folder(), 'model');
  const copy = (changed: object = {}): void => {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path);
    cpSync(join(FIXTURES, 'models/regions'), path, { recursive: true });
    rmSync(join(path, 'encoderfile.yml'));
    const config = join(path, 'config.json');
    const read = JSON.parse(readFileSync(config, 'utf8')) as object;
    writeFileSync(config, JSON.stringify({ ...read, ...changed }));
  };
  const build = async () => {
    const output = join(folder(), 'model.encoder');
    const args = ['build', path, '-o', output, '--force', '--cache-dir', TEST_CACHE];
    return { ...(await runCli(args, { cwd: folder() })), output };
  };
  copy();
  const { exitCode, stderr, stdout, output } = await build();
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  expect(stderr).toContain(
    'is of type image_segmentation, because config.json names SegformerForSemanticSegmentation',
  );
  expect(stdout).toMatch(/^Labels +red, green, blue$/m);
  const { stdout: table } = await runExecutable(output, ['inspect']);
  expect(table).toMatch(/^Images +scaled to 64 x 64 pixels$/m);
  const { stdout: found } = await runExecutable(output, ['infer', REGIONS[0]?.path ?? '']);
  expect(JSON.parse(found)).toMatchObject({
    predictions: [{ segments: rounded(REGIONS[0]?.segments ?? []) }],
  });
  // A graph of another model: 2 x 2 cells of 8 x 8 pixels.
  copy({ id2label: { 0: 'red', 1: 'blue' }, label2id: { red: 0, blue: 1 }, model_type: 'other' });
  rmSync(join(path, 'model.safetensors'));
  cpSync(join(FIXTURES, 'graphs/red-or-blue-cells.onnx'), join(path, 'model.onnx'));
  const small = { size: { height: 8, width: 8 }, image_mean: [0, 0, 0], image_std: [1, 1, 1] };
  const settings = join(path, 'preprocessor_config.json');
  const processor = JSON.parse(readFileSync(settings, 'utf8')) as object;
  writeFileSync(settings, JSON.stringify({ ...processor, ...small }));
  const cells = await build();
  expect(cells.stderr).toContain('is of type image_segmentation');
  const columns = Array.from({ length: 18 }, () => 4);
  const { stdout: halves } = await runExecutable(cells.output, ['infer', HALVES]);
  expect(JSON.parse(halves)).toMatchObject({
    predictions: [
      {
        segments: [
          { label: 'red', area: 36, share: 0.5, mask: { size: [8, 9], counts: [0, ...columns] } },
          { label: 'blue', area: 36, share: 0.5, mask: { size: [8, 9], counts: columns } },
        ],
      },
    ],
  });
  const maskFormer = { architectures: ['MaskFormerForInstanceSegmentation'], model_type: 'maskformer' };
  copy(maskFormer);
  expect((await build()).stderr).toContain('an image model of a type that cannot be built from its weights');
  cpSync(join(FIXTURES, 'graphs/red-or-blue-cells.onnx'), join(path, 'model.onnx'));
  expect((await build()).stderr).toContain(
    'config.json names MaskFormerForInstanceSegmentation, which does not return the scores of each label for each pixel. Choose a model whose class ends in ForSemanticSegmentation, such as SegFormer.',
  );
  copy({ architectures: ['UperNetForSemanticSegmentation'], model_type: 'beit' });
  expect((await build()).stderr).toContain(
    'The head for image segmentation of a model of type "beit" cannot be built without an export. Supported types: segformer.',
  );
});
