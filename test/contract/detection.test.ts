import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runCliHere as runCli } from '../helpers/cli-here.ts';
import { expectClose } from '../helpers/close.ts';
import { cornersOf, DETECTION, DETECTION_THRESHOLD, detectorFolder } from '../helpers/golden-detection.ts';
import { SHAPES } from '../helpers/golden-shapes.ts';
import { writeConfig } from '../helpers/model-folder.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { runExecutable } from './arms.ts';
import { type PredictResult, TRANSPORTS } from './clients.ts';
import { shareServers } from './shared-servers.ts';
import { verifies, verifiesOnce, verifiesServed } from './verifies.ts';

const folder = useTempFolder();
const serve = shareServers();
const threshold = DETECTION_THRESHOLD;

type Objects = NonNullable<PredictResult['objects']>;

/** Maximum difference of a corner, in pixels. */
const PIXELS = 1e-3;

function expectObjects(found: Objects | undefined, model: string, image: string, what: string): void {
  const expected = DETECTION[model]?.[image] ?? [];
  expect(expected.length).toBeGreaterThan(2);
  expect(
    found?.map(({ label }) => label),
    what,
  ).toEqual(expected.map(({ label }) => label));
  expectClose(
    found?.map(({ score }) => score),
    expected.map(({ score }) => score),
    what,
  );
  expectClose(
    found?.flatMap(({ box }) => cornersOf(box)),
    expected.flatMap(({ box }) => box),
    what,
    PIXELS,
  );
}

verifiesServed('detection:golden', async (arm) => {
  const served = await serve(arm, 'boxes');
  for (const transport of TRANSPORTS) {
    const { name } = transport;
    const client = await transport.connect(served, 'ObjectDetection');
    const inputs = SHAPES.map(({ bytes, base64 }) => (name === 'grpc' ? bytes : base64));
    const together = (await client.predict({ inputs, threshold })).results;
    for (const [at, image] of SHAPES.entries()) {
      const [alone] = (await client.predict({ inputs: inputs.slice(at, at + 1), threshold })).results;
      for (const result of [together[at], alone])
        expectObjects(result?.objects, 'boxes', image.name, `${image.name} over ${name}`);
    }
    await client.close();
  }
});

verifies('detection:golden', async (arm) => {
  const paths = SHAPES.map(({ path }) => path);
  const { exitCode, stdout, stderr } = await arm.run('boxes', [
    'infer',
    ...paths,
    `--threshold=${threshold}`,
  ]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const { predictions } = JSON.parse(stdout) as { predictions: PredictResult[] };
  for (const [at, { name }] of SHAPES.entries())
    expectObjects(predictions[at]?.objects, 'boxes', name, `${name} by infer`);
});

verifiesServed('detection:requests', async (arm) => {
  const { url } = await serve(arm, 'boxes');
  const [image] = SHAPES;
  const send = async (path: string, body: object): Promise<{ status: number; text: string }> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url + path, { method: 'POST', body: JSON.stringify(body), headers });
    return { status: response.status, text: await response.text() };
  };
  const objects = async (options: object): Promise<Objects> => {
    const { text } = await send('/predict', { inputs: [image?.base64], ...options });
    return (JSON.parse(text) as { results: PredictResult[] }).results[0]?.objects ?? [];
  };
  const all = await objects({ threshold });
  expect(await objects({})).toEqual(all.filter(({ score }) => score > 0.5));
  expect(await objects({ threshold: 0.9 })).toEqual(all.filter(({ score }) => score > 0.9));
  expect(await objects({ threshold: all[1]?.score ?? 0 })).toHaveLength(1);
  expect(await objects({ threshold: 1 })).toEqual([]);
  expect(await objects({ threshold, top_k: 2 })).toEqual(all.slice(0, 2));
  const whole = all.map(({ label, score, box: { xmin, ymin, xmax, ymax } }) => ({
    label,
    score,
    box: {
      xmin: Math.trunc(xmin),
      ymin: Math.trunc(ymin),
      xmax: Math.trunc(xmax),
      ymax: Math.trunc(ymax),
    },
  }));
  const parameters = { threshold };
  for (const path of ['/', '/predict']) {
    const { status, text } = await send(path, { inputs: image?.base64, parameters });
    expect({ status, objects: JSON.parse(text) as unknown }).toEqual({ status: 200, objects: whole });
  }
  for (const wrong of [-0.1, 1.1, 'high']) {
    const { status, text } = await send('/predict', { inputs: [image?.base64], threshold: wrong });
    expect({ status, text }).toEqual({ status: 422, text: expect.stringMatching(/^threshold must be /) });
  }
  const facts = (await (await fetch(`${url}/model`)).json()) as object;
  expect(facts).toMatchObject({ model_type: 'object_detection', threshold: 0.5 });
  expect(facts).not.toHaveProperty('image_size');
});

verifiesOnce('detection:build', async () => {
  const path = join(folder(), 'model');
  const copy = (model: string): void => {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path);
    cpSync(detectorFolder(model), path, { recursive: true });
  };
  const build = async (...args: string[]) => {
    const output = join(folder(), 'model.encoder');
    const flags = ['-o', output, '--force', '--cache-dir', TEST_CACHE];
    return { ...(await runCli(['build', ...args, ...flags], { cwd: folder() })), output };
  };
  const expectFound = async (executable: string, model: string): Promise<void> => {
    const paths = SHAPES.map((image) => image.path);
    const args = ['infer', ...paths, '--threshold', String(threshold)];
    const { stdout } = await runExecutable(executable, args);
    const { predictions } = JSON.parse(stdout) as { predictions: PredictResult[] };
    for (const [at, { name }] of SHAPES.entries())
      expectObjects(predictions[at]?.objects, model, name, `${name} with ${model}`);
  };
  for (const model of ['detr-timm', 'yolos-same']) {
    copy(model);
    const { exitCode, stderr, output } = await build(path);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(stderr).toMatch(/is of type object_detection, because config\.json names \w+ForObjectDetection/);
    await expectFound(output, model);
  }
  // An export has two outputs and a mask for padding.
  copy('detr');
  rmSync(join(path, 'model.safetensors'));
  cpSync(join(detectorFolder('detr-exported'), 'model.onnx'), join(path, 'model.onnx'));
  const exported = await build(path);
  expect(exported).toMatchObject({ exitCode: 0 });
  await expectFound(exported.output, 'detr');

  copy('boxes');
  const fields = { path, model_type: 'object_detection' };
  const config = writeConfig(folder(), { ...fields, threshold: 0.95 });
  const { output, exitCode } = await build('-f', config);
  expect(exitCode).toBe(0);
  const { stdout: table } = await runExecutable(output, ['inspect']);
  expect(table).toMatch(/^Images +scaled to at most 48 x 80 pixels$/m);
  expect(table).toMatch(/^Objects +with a score above 0\.95$/m);
  const { stdout } = await runExecutable(output, ['infer', SHAPES[0]?.path ?? '']);
  const { predictions } = JSON.parse(stdout) as { predictions: PredictResult[] };
  expect(predictions[0]?.objects?.map(({ score }) => score > 0.95)).toEqual([true, true]);

  const validate = async (others: object = {}): Promise<string> => {
    const file = writeConfig(folder(), { ...fields, ...others });
    const env = { XDG_CACHE_HOME: TEST_CACHE };
    const { stdout: printed } = await runCli(['validate', '-f', file, '--json'], { cwd: folder(), env });
    return printed;
  };
  expect(await validate({ model_type: 'image_embedding' })).toContain(
    'gives each image another size, which is not supported',
  );
  const edit = (file: string, changes: object): void => {
    const from = JSON.parse(readFileSync(join(detectorFolder('detr'), file), 'utf8')) as object;
    writeFileSync(join(path, file), JSON.stringify({ ...from, ...changes }));
  };
  copy('detr');
  for (const [file, changes, problem] of [
    ['config.json', { num_queries: 8 }, /query_position_embeddings\.weight has the shape \[7, 16\]/],
    ['config.json', { position_embedding_type: 'learned' }, /`position_embedding_type` to \\"learned\\"/],
    ['config.json', { backbone_config: { model_type: 'swin' } }, /`model_type` to \\"swin\\"/],
    [
      'config.json',
      { model_type: 'rt_detr' },
      /it is an image model of a type that cannot be built from its weights/,
    ],
    ['config.json', { model_type: 'vit' }, /Object detection with a model of type \\"vit\\" cannot be built/],
    [
      'preprocessor_config.json',
      { image_processor_type: 'ViTImageProcessor', size: { height: 48, width: 48 } },
      /names ViTImageProcessor, which does not state how objects are found/,
    ],
  ] as const) {
    edit(file, changes);
    expect(await validate()).toMatch(problem);
    edit(file, {});
  }
  copy('detr-timm');
  edit('config.json', { backbone_config: null, backbone: 'resnext50_32x4d' });
  expect(await validate()).toMatch(
    /but only resnet18, resnet34, resnet50, resnet101 and resnet152 can be built/,
  );
});
