import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runCliHere as runCli } from '../helpers/cli-here.ts';
import { expectClose } from '../helpers/close.ts';
import { goldenTowers, TOWER_IMAGES, TOWER_LABELS, TOWER_TEXTS, TOWERS } from '../helpers/golden-towers.ts';
import type { Manifest } from '#contract/manifest.ts';
import { builtAssets } from '../helpers/built.ts';
import { copyByConvolution, editGraph } from '../helpers/edited-graph.ts';
import { writeConfig } from '../helpers/model-folder.ts';
import { FIXTURES, TEST_CACHE } from '../helpers/paths.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { runExecutable } from './arms.ts';
import { type PredictResult, TRANSPORTS } from './clients.ts';
import { post } from './http-client.ts';
import { shareServers } from './shared-servers.ts';
import { verifies, verifiesOnce, verifiesServed } from './verifies.ts';

const folder = useTempFolder();
const serve = shareServers();
const [CIRCLE] = TOWER_IMAGES;
if (!CIRCLE) throw new Error('no images');

/** The scores of a result in the order of the golden labels. */
const scoresIn = ({ labels = [], scores = [] }: PredictResult = {}): number[] =>
  TOWER_LABELS.map((label) => scores[labels.indexOf(label)] ?? Number.NaN);

verifiesServed('towers:golden', async (arm) => {
  for (const model of TOWERS) {
    const served = await serve(arm, model);
    const { texts, images } = goldenTowers(model);
    for (const transport of TRANSPORTS) {
      const client = await transport.connect(served, 'ImageTextEmbedding');
      const isGrpc = transport.name === 'grpc';
      const inputs = [
        ...TOWER_TEXTS.map((text) => (isGrpc ? { text } : text)),
        ...TOWER_IMAGES.map(({ bytes, base64 }) => ({ image: isGrpc ? bytes : base64 })),
      ];
      const mixed = inputs.toReversed();
      const together = (await client.predict({ inputs: mixed })).results.toReversed();
      for (const [at, expected] of [...texts, ...images].entries()) {
        const [alone] = (await client.predict({ inputs: inputs.slice(at, at + 1) })).results;
        for (const result of [together[at], alone])
          expectClose(result?.embedding, expected, `input ${at} of ${model} over ${transport.name}`);
      }
      const [short] = (await client.predict({ inputs: inputs.slice(0, 1), normalize: true, dimensions: 3 }))
        .results;
      const [first = [], length] = [texts[0]?.slice(0, 3), Math.hypot(...(texts[0]?.slice(0, 3) ?? []))];
      expectClose(
        short?.embedding,
        first.map((value) => value / length),
        `first dimensions over ${transport.name}`,
      );
      await client.close();
    }
  }
});

const asJson = async (url: string, body: object): Promise<unknown> => {
  const { status, text } = await post(url, body);
  expect(status, text).toBe(200);
  return JSON.parse(text);
};

verifiesServed('towers:forms', async (arm) => {
  const { url } = await serve(arm, 'clip');
  const { base64 } = CIRCLE;
  const dataUrl = `data:image/png;base64,${base64}`;
  const [text = ''] = TOWER_TEXTS;
  const { data } = (await asJson(`${url}/v1/embeddings`, {
    input: [text, { image: base64 }, { text }, dataUrl],
  })) as { data: { embedding: number[] }[] };
  const [ofText = [], ofImage = []] = data.map(({ embedding }) => embedding);
  expect(data.map(({ embedding }) => embedding)).toEqual([ofText, ofImage, ofText, ofImage]);
  expect(ofText).not.toEqual(ofImage);
  expect(Math.hypot(...ofImage)).toBeCloseTo(1, 5);
  expect(await asJson(`${url}/embed`, { inputs: [dataUrl, text] })).toEqual([ofImage, ofText]);
  expect(await asJson(`${url}/`, { inputs: [{ image: base64 }, { text }] })).toEqual([ofImage, ofText]);
  const content = [
    { content: [{ type: 'image_url', image_url: { url: dataUrl } }] },
    { content: [{ type: 'text', text }] },
  ];
  for (const [body, expected] of [
    [{ texts: [text], images: [dataUrl] }, [ofText, ofImage]],
    [{ inputs: content }, [ofImage, ofText]],
  ] as const) {
    expect(await asJson(`${url}/v2/embed`, body)).toMatchObject({ embeddings: { float: expected } });
  }
  const cosine = ofText.reduce((sum, value, at) => sum + value * (ofImage[at] ?? 0), 0);
  const similarity = (await asJson(`${url}/similarity`, {
    inputs: { source_sentence: text, sentences: [{ image: base64 }, text] },
  })) as number[];
  expectClose(similarity, [cosine, 1], 'similarity');
  const form = new FormData();
  for (const { bytes, name } of TOWER_IMAGES.slice(0, 2))
    form.append('file', new Blob([Uint8Array.from(bytes)]), name);
  const sent = await fetch(`${url}/predict`, { method: 'POST', body: form });
  const { results } = (await sent.json()) as { results: PredictResult[] };
  for (const [at, { embedding }] of results.entries())
    expectClose(embedding, goldenTowers('clip').images[at], `file ${at}`);
  expect(results).toHaveLength(2);
  // The text of a data: URL can be embedded as well.
  const stated = (await asJson(`${url}/embed`, { inputs: [{ text: dataUrl }] })) as number[][];
  expect(stated[0]).not.toEqual(ofImage);
});

verifiesServed('towers:labels', async (arm) => {
  for (const model of TOWERS) {
    const served = await serve(arm, `${model}-labels`);
    const { scores } = goldenTowers(model);
    for (const transport of TRANSPORTS) {
      const client = await transport.connect(served, 'ZeroShotImageClassification');
      const inputs = TOWER_IMAGES.map(({ bytes, base64 }) => (transport.name === 'grpc' ? bytes : base64));
      const request = { inputs, candidate_labels: TOWER_LABELS };
      const { results } = await client.predict(request);
      for (const [at, expected] of scores.entries()) {
        const result = results[at];
        expectClose(scoresIn(result), expected, `image ${at} of ${model} over ${transport.name}`);
        expect(result?.scores).toEqual(result?.scores?.toSorted((one, other) => other - one));
      }
      const named = await client.predict({ ...request, hypothesis_template: 'This is a photo of {}.' });
      expect(named.results).toEqual(results);
      const others = await client.predict({ ...request, hypothesis_template: '{}' });
      expect(others.results).not.toEqual(results);
      await client.close();
    }
    const parameters = { candidate_labels: TOWER_LABELS };
    for (const path of ['/', '/predict']) {
      const ranked = (await asJson(`${served.url}${path}`, { inputs: CIRCLE.base64, parameters })) as {
        label: string;
        score: number;
      }[];
      const result = { labels: ranked.map(({ label }) => label), scores: ranked.map(({ score }) => score) };
      expectClose(scoresIn(result), scores[0], `${path} of ${model}`);
    }
  }
});

verifiesServed('towers:refused', async (arm) => {
  const [{ url }, { url: labels }] = [
    await serve(arm, 'clip'),
    await serve(arm, 'clip-labels', ['--max-client-batch=8']),
  ];
  const refusal = async (url: string, body: object): Promise<string> => {
    const { status, text } = await post(`${url}/predict`, body);
    expect(status, text).toBe(422);
    return text;
  };
  const cut = CIRCLE.bytes.subarray(0, Math.floor(CIRCLE.bytes.length / 2)).toString('base64');
  expect(await refusal(url, { inputs: ['a', { image: cut }] })).toMatch(/^Input 1: .*\.$/s);
  expect(await refusal(url, { inputs: ['a', { image: 'a text' }] })).toBe(
    'Input 1 must be an image in base64 or a data: URL, not "a text".',
  );
  expect(await refusal(url, { inputs: ['a', {}] })).toMatch(/inputs\/1/);
  const image = CIRCLE.base64;
  expect(await refusal(labels, { inputs: [image] })).toContain('candidate_labels');
  expect(await refusal(labels, { inputs: [image], candidate_labels: [] })).toContain('candidate_labels');
  expect(
    await refusal(labels, { inputs: [image], candidate_labels: ['a'], hypothesis_template: 'no place' }),
  ).toContain('{}');
  expect(await refusal(labels, { inputs: [cut], candidate_labels: ['a'] })).toMatch(/^Input 0: .*\.$/s);
  const many = Array.from({ length: 9 }, (_, at) => `label ${at}`);
  expect(await refusal(labels, { inputs: [image], candidate_labels: many })).toBe(
    'Too many labels: the request has 9, but the maximum is 8 (--max-client-batch). Split it into several requests.',
  );
  const headers = { 'content-type': 'image/png' };
  const body = Uint8Array.from(CIRCLE.bytes);
  const asFile = await fetch(`${labels}/`, { method: 'POST', headers, body });
  expect([asFile.status, await asFile.text()]).toEqual([
    422,
    expect.stringContaining('A body that is an image has no `parameters`, which this model requires.'),
  ]);
  const { status, text } = await post(`${labels}/v1/embeddings`, { input: 'a' });
  expect([status, text]).toEqual([404, expect.stringContaining('zero_shot_image_classification')]);
});

verifies('towers:infer', async (arm) => {
  const { texts, images, scores } = goldenTowers('siglip');
  const [one = '', two = ''] = TOWER_IMAGES.map(({ path }) => path);
  const [text = ''] = TOWER_TEXTS;
  const { stdout, stderr } = await arm.run('siglip', ['infer', text, one, two]);
  expect(stderr).toBe('');
  const { embeddings } = JSON.parse(stdout) as { embeddings: number[][] };
  for (const [at, expected] of [texts[0], images[0], images[1]].entries())
    expectClose(embeddings[at], expected, `input ${at}`);
  const list = join(folder(), 'list.jsonl');
  const rows = [{ text }, { image: one }, { text: one }, { image: 'missing.png' }, { other: text }];
  writeFileSync(list, rows.map((row) => JSON.stringify(row)).join('\n'));
  const lines = await arm.run('siglip', ['infer', '--input', list]);
  expect(lines.exitCode).toBe(1);
  const found = lines.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { embedding?: number[]; error?: string });
  expectClose(found[0]?.embedding, texts[0], 'text of a line');
  expectClose(found[1]?.embedding, images[0], 'image of a line');
  // A text that is the name of an image.
  expect(found[2]?.embedding).not.toEqual(found[1]?.embedding);
  expect(found[2]?.embedding).toHaveLength(images[0]?.length ?? 0);
  expect(found[3]?.error).toContain('No such file: missing.png');
  expect(found[4]?.error).toBe('expected a string, or an object with a string `text` or `image`');
  const missing = await arm.run('siglip', ['infer', 'missing.png']);
  expect(missing).toMatchObject({ exitCode: 1, stdout: '' });
  const labeled = await arm.run('siglip-labels', ['infer', one, two, '--labels', TOWER_LABELS.join(',')]);
  expect(labeled.stderr).toBe('');
  const { predictions } = JSON.parse(labeled.stdout) as { predictions: PredictResult[] };
  for (const [at, prediction] of predictions.entries())
    expectClose(scoresIn(prediction), scores[at], `image ${at}`);
  const without = await arm.run('siglip-labels', ['infer', one]);
  expect(without).toMatchObject({ exitCode: 1, stdout: '' });
  expect(without.stderr).toContain('--labels');
});

verifiesOnce('towers:build', async () => {
  const path = join(folder(), 'model');
  const copy = (model: string, ...without: string[]): void => {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path);
    cpSync(join(FIXTURES, 'models', model), path, { recursive: true });
    for (const name of ['encoderfile.yml', ...without]) rmSync(join(path, name));
  };
  const build = async (...flags: string[]) => {
    const output = join(folder(), 'model.encoder');
    const args = ['build', path, '-o', output, '--force', '--cache-dir', TEST_CACHE, ...flags];
    return { ...(await runCli(args, { cwd: folder() })), output };
  };
  for (const model of TOWERS) {
    copy(model);
    const { exitCode, stderr, stdout, output } = await build();
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(stderr).toContain('is of type image_text_embedding');
    expect(stdout).toContain('infer "some text" photo.jpg');
    const { stdout: table } = await runExecutable(output, ['inspect']);
    expect(table).toMatch(/^Images +scaled to \d+ x \d+ pixels$/m);
    expect(table).toMatch(/^ +image-graph /m);
  }
  const labels = await build('--model-type', 'zero_shot_image_classification');
  expect(labels.stdout).toContain('infer --labels "one,another" photo.jpg');
  const proposed = await runCli(['init', path, '-o', join(folder(), 'new.yml')]);
  expect([proposed.exitCode, proposed.stderr]).toEqual([0, '']);
  expect(readFileSync(join(folder(), 'new.yml'), 'utf8')).toContain('model_type: image_text_embedding');
  const validate = async (fields: object): Promise<string> => {
    const config = writeConfig(folder(), { path, model_type: 'image_text_embedding', ...fields });
    const env = { XDG_CACHE_HOME: TEST_CACHE };
    const { exitCode, stdout } = await runCli(['validate', '-f', config, '--json'], { cwd: folder(), env });
    return exitCode === 0 ? 'valid' : stdout;
  };
  expect(await validate({ normalize: true, dimensions: 4 })).toBe('valid');
  expect(await validate({ dimensions: 400 })).toContain("the model's vectors have only 24");
  expect(await validate({ pooling: 'mean' })).toContain('pooling: requires model_type');
  expect(await validate({ long_texts: 'windows' })).toContain('is not supported for model_type');
  // Graphs of another library: one for each encoder.
  copy('clip', 'model.safetensors');
  mkdirSync(join(path, 'onnx'));
  const assets = builtAssets('clip');
  for (const [from, to] of [
    ['graph.onnx', 'text_model.onnx'],
    ['image-graph.onnx', 'vision_model.onnx'],
    ['weights.bin', 'weights.bin'],
  ] as const)
    cpSync(join(assets, from), join(path, 'onnx', to));
  const graphs = ['--variant', 'onnx/text_model.onnx', '--model-type'];
  const pair = await build(...graphs, 'image_text_embedding');
  expect(pair.stderr).not.toContain('Error');
  const [text = ''] = TOWER_TEXTS;
  const found = await runExecutable(pair.output, ['infer', text, CIRCLE.path]);
  const { embeddings } = JSON.parse(found.stdout) as { embeddings: number[][] };
  expectClose(embeddings[0], goldenTowers('clip').texts[0], 'text with two graphs');
  expectClose(embeddings[1], goldenTowers('clip').images[0], 'image with two graphs');
  // Several convolutions, whose weights servers arrange for the CPU; `infer --input` does the same.
  const encoderIn = async (file: string): Promise<object | undefined> => {
    const { stdout } = await runExecutable(file, ['inspect', '--json']);
    return (JSON.parse(stdout) as { model: Manifest }).model.images?.encoder;
  };
  const ofPatches = await encoderIn(pair.output);
  expect(ofPatches).not.toHaveProperty('hasConvolutions');
  editGraph(join(path, 'onnx/vision_model.onnx'), copyByConvolution);
  const convolutions = await build(...graphs, 'image_text_embedding');
  expect(await encoderIn(convolutions.output)).toEqual({ ...ofPatches, hasConvolutions: true });
  const inputs = join(folder(), 'inputs.jsonl');
  writeFileSync(inputs, `${JSON.stringify({ image: CIRCLE.path })}\n${JSON.stringify({ text })}\n`);
  const rows = await runExecutable(convolutions.output, ['infer', '--input', inputs]);
  const [ofImage, ofText] = rows.stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as PredictResult).embedding);
  expectClose(ofText, goldenTowers('clip').texts[0], 'text next to an encoder with convolutions');
  expectClose(ofImage, goldenTowers('clip').images[0], 'image with two convolutions');
  expect((await build(...graphs, 'zero_shot_image_classification')).stderr).toContain(
    'is an exported graph, which does not contain the scale that converts similarities to scores',
  );
  rmSync(join(path, 'onnx/vision_model.onnx'));
  expect((await build(...graphs, 'image_text_embedding')).stderr).toContain('needs two graphs');
  cpSync(join(FIXTURES, 'models/siglip/config.json'), join(path, 'config.json'));
  expect((await build(...graphs, 'image_text_embedding')).stderr).toContain('is an exported graph of SigLIP');
  // The encoder of images is built alone if there is no tokenizer.
  copy('clip', 'tokenizer.json', 'tokenizer_config.json');
  const alone = await build();
  expect(alone.stderr).toContain('is of type image_embedding');
  copy('clip', 'preprocessor_config.json');
  expect(await validate({})).toMatch(/no preprocessor_config\.json/);
});
