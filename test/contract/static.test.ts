import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runCliHere as runCli } from '../helpers/cli-here.ts';
import { expectClose } from '../helpers/close.ts';
import { copyStatic, readGoldenStatic, type StaticModel } from '../helpers/golden-static.ts';
import { copyModel, writeConfig } from '../helpers/model-folder.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import type { Answer } from '../helpers/run-process.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { runExecutable } from './arms.ts';
import { type PredictRequest, TRANSPORTS } from './clients.ts';
import { post } from './http-client.ts';
import { shareServers } from './shared-servers.ts';
import { verifies, verifiesOnce, verifiesServed } from './verifies.ts';

const folder = useTempFolder();
const serve = shareServers();
const { texts, vectors, query, models, distilled } = readGoldenStatic();
/** The same numbers are added in the same order, so that only the norm can differ. */
const EXACT = 1e-6;
const ZEROS = Array.from({ length: 16 }, () => 0);

function expectVectors(
  actual: readonly (readonly number[] | undefined)[],
  expected: readonly number[][],
  what: string,
): void {
  expect(actual).toHaveLength(expected.length);
  for (const [at, vector] of expected.entries())
    expectClose(actual[at], vector, `${what}: ${texts[at]}`, EXACT);
}

verifiesServed('static:golden', async (arm) => {
  const served = await serve(arm, 'static');
  for (const transport of TRANSPORTS) {
    const client = await transport.connect(served, 'SentenceEmbedding');
    const vectorsOf = async (request: PredictRequest): Promise<(readonly number[] | undefined)[]> =>
      (await client.predict(request)).results.map(({ embedding }) => embedding);
    expectVectors(await vectorsOf({ inputs: texts }), vectors, transport.name);
    expectVectors(await vectorsOf({ inputs: texts, prompt_name: 'query' }), query, transport.name);
    const alone = await Promise.all(texts.map(async (text) => (await vectorsOf({ inputs: [text] }))[0]));
    expectVectors(alone, vectors, `${transport.name}, alone`);
    await client.close();
  }
});

verifiesServed('static:routes', async (arm) => {
  const { url } = await serve(arm, 'static');
  const answer = async (path: string, body: unknown): Promise<unknown> => {
    const { status, text } = await post(`${url}${path}`, body);
    expect(status, text).toBe(200);
    return JSON.parse(text);
  };
  const openAi = async (body: object): Promise<unknown[]> =>
    ((await answer('/v1/embeddings', body)) as { data: { embedding: unknown }[] }).data.map(
      ({ embedding }) => embedding,
    );
  expectVectors((await openAi({ input: texts })) as number[][], vectors, '/v1/embeddings');
  const encoded = (await openAi({ input: texts, encoding_format: 'base64' })) as string[];
  const floats = (text: string): number[] => [
    ...new Float32Array(Uint8Array.from(Buffer.from(text, 'base64')).buffer),
  ];
  expectVectors(encoded.map(floats), vectors, 'base64');
  expectVectors((await answer('/embed', { inputs: texts })) as number[][], vectors, '/embed');
  const [source_sentence = '', ...sentences] = texts;
  const scores = (await answer('/similarity', { inputs: { source_sentence, sentences } })) as number[];
  const [first = [], ...others] = vectors;
  const dot = (other: readonly number[]): number =>
    other.reduce((sum, value, at) => sum + value * (first[at] ?? 0), 0);
  expectClose(scores, others.map(dot), '/similarity', EXACT);
  const { tokens } = (await answer('/tokenize', { inputs: ' ' })) as { tokens?: unknown[] };
  expect(tokens ?? []).toEqual([]);
  expect(await openAi({ input: [' ', '\t\n'] })).toEqual([ZEROS, ZEROS]);
  expect(await openAi({ input: [' ', 'love'] })).toEqual([ZEROS, expect.any(Array)]);
  const raw = (await openAi({ input: [texts[0]], normalize: false, dimensions: 3 })) as number[][];
  expect(raw[0]).toHaveLength(3);
  const { status, text } = await post(`${url}/v1/embeddings`, { input: '' });
  expect({ status, text }).toMatchObject({ status: 422, text: expect.stringContaining('empty string') });
  const info = (await (await fetch(`${url}/model`)).json()) as object;
  expect(info).toMatchObject({ dimensions: 16, pooling: 'none', normalize: true });
});

verifies('static:infer', async (arm) => {
  const { exitCode, stdout, stderr } = await arm.run('static', ['infer', '--', ...printable]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const { embeddings } = JSON.parse(stdout) as { embeddings: number[][] };
  const expected = vectors.filter((_, at) => !texts[at]?.includes('\0'));
  for (const [at, vector] of expected.entries())
    expectClose(embeddings[at], vector, printable[at] ?? '', EXACT);
  const table = (await arm.run('static', ['inspect'])).stdout;
  expect(table).toMatch(/^Type +sentence_embedding, output sentence_embedding, 16 dimensions, float32$/m);
  expect(table).toMatch(
    /^Vector +mean of the vectors of all tokens \(a table of 2600 rows\), L2-normalized$/m,
  );
  expect((await arm.run('static', ['verify'])).stdout).toMatch(/^weights +\S+ \w+ +ok/m);
});

/** A command line cannot contain the null character. */
const printable = texts.filter((text) => !text.includes('\0'));

const build = async (model: string): Promise<Answer & { readonly output: string }> => {
  const output = join(folder(), 'model.encoder');
  const args = ['build', model, '-o', output, '--force', '--cache-dir', TEST_CACHE];
  return { ...(await runCli(args, { cwd: folder() })), output };
};

verifiesOnce('static:build', async () => {
  for (const model of models) {
    const path = join(folder(), model.name);
    copyStatic(path, model);
    const { exitCode, stderr, output } = await build(path);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    const { stdout } = await runExecutable(output, ['infer', '--', ...printable]);
    const { embeddings } = JSON.parse(stdout) as { embeddings: number[][] };
    const expected = model.vectors.filter((_, at) => !texts[at]?.includes('\0'));
    expect(embeddings).toHaveLength(expected.length);
    for (const [at, vector] of expected.entries())
      expectClose(embeddings[at], vector, `${model.name}: ${printable[at]}`, EXACT);
  }
});

const validate = (fields: Record<string, unknown> = {}): Promise<Answer> => {
  const config = writeConfig(folder(), { model_type: 'sentence_embedding', ...fields });
  return runCli(['validate', '-f', config, '--json'], { cwd: folder(), env: { XDG_CACHE_HOME: TEST_CACHE } });
};

async function refused(fields: Record<string, unknown>, message: RegExp): Promise<void> {
  const { exitCode, stdout } = await validate(fields);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: expect.stringMatching(message) });
}

verifiesOnce('static:distilled', async () => {
  copyModel(folder(), 'sentence');
  const config = writeConfig(folder(), {
    model_type: 'sentence_embedding',
    distill_dimensions: distilled.dimensions,
    min_neighbors: 0.2,
  });
  const output = join(folder(), 'model.encoder');
  const args = ['build', '-f', config, '-o', output, '--distill', 'static', '--cache-dir', TEST_CACHE];
  const built = await runCli(args, { cwd: folder() });
  expect(built).toMatchObject({ exitCode: 0 });
  expect(built.stderr).toMatch(
    /Making the static form .*12 dimensions, \d+% of the ten nearest texts of each of 69 texts are the same/,
  );
  const { stdout } = await runExecutable(output, ['infer', '--', ...printable]);
  const [first = [], ...others] = (JSON.parse(stdout) as { embeddings: number[][] }).embeddings;
  const dot = (other: readonly number[]): number =>
    other.reduce((sum, value, at) => sum + value * (first[at] ?? 0), 0);
  const expected = distilled.similarity.filter((_, at) => !texts[at + 1]?.includes('\0'));
  expectClose(others.map(dot), expected, 'similarities', 1e-5);
  const table = (await runExecutable(output, ['inspect'])).stdout;
  expect(table).toMatch(
    /^Vector +mean of the vectors of all tokens \(a table of 2600 rows\), L2-normalized$/m,
  );
  expect(table).toMatch(/^Distilled +12 dimensions, \d+% of the ten nearest texts/m);
  await refused(
    { distill: 'static', min_neighbors: 0.99 },
    /Only \d+% of the ten nearest texts of each of 69 texts stay the nearest ones in the static form, but `min_neighbors` is 99%\./,
  );
  await refused(
    { distill: 'static', quantize: 'int8' },
    /`distill: static` and `quantize` cannot be combined/,
  );
  await refused(
    { model_type: 'embedding', distill: 'static' },
    /distill: requires model_type sentence_embedding/,
  );
});

verifiesOnce('static:refused', async () => {
  copyModel(folder(), 'static');
  expect(await validate()).toMatchObject({ exitCode: 0 });
  await refused({ model_type: 'embedding' }, /static model.*must be sentence_embedding, not embedding\./);
  await refused(
    { quantize: 'int8' },
    /A static model has no matrix products to quantize\. Remove `quantize`\./,
  );
  await refused(
    { transform: 'function Postprocess(x) return x end' },
    /static model cannot have a `transform`/,
  );
  await refused({ pooling: 'max' }, /`pooling: max`, but its `output` has one vector per text/);
  await refused({ distill: 'static' }, /requires a model of type sentence_embedding with an encoder/);
  await refused({ dimensions: 17 }, /`dimensions` is 17, but the model's vectors have only 16\./);
  const weights = join(folder(), 'model', 'model.safetensors');
  const intact = readFileSync(weights);
  writeFileSync(
    weights,
    withTensors(intact, (text) => text.replace('embedding.weight', 'embedding.wrong_')),
  );
  await refused({}, /contains neither the tensor embedding\.weight nor embeddings/);
  writeFileSync(
    weights,
    withTensors(intact, (text) => text.replace('[2600,16]', '[41600]  ')),
  );
  await refused({}, /has the shape \[41600\], but it must have 2 axes/);
  writeFileSync(
    weights,
    withTensors(intact, (text) => text.replace('[2600,16]', '[1300,32]')),
  );
  await refused({}, /tokenizer\.json has 2600 tokens, but the table in .* has only 1300 rows/);
  writeFileSync(weights, intact.subarray(0, 5000));
  await refused({}, /does not contain all bytes of embedding\.weight/);
  const clusters = models.find(({ name }) => name === 'model2vec-clusters') as StaticModel;
  rmSync(join(folder(), 'model'), { recursive: true });
  copyStatic(join(folder(), 'model'), clusters);
  const header = readFileSync(weights);
  header.writeInt32LE(100, startOf(header, 'mapping'));
  writeFileSync(weights, header);
  await refused({}, /The mapping in .* contains the row 100, but the table has only 100 rows\./);
});

/** Changes the header of a safetensors file to another one of the same length. */
function withTensors(file: Buffer, change: (header: string) => string): Buffer {
  const length = Number(file.readBigUInt64LE(0));
  const header = change(file.toString('utf8', 8, 8 + length));
  expect(header).toHaveLength(length);
  return Buffer.concat([file.subarray(0, 8), Buffer.from(header), file.subarray(8 + length)]);
}

/** The position of a tensor in a safetensors file. */
function startOf(file: Buffer, name: string): number {
  const length = Number(file.readBigUInt64LE(0));
  const header = JSON.parse(file.toString('utf8', 8, 8 + length)) as Record<
    string,
    { data_offsets: [number, number]; dtype: string }
  >;
  expect(header[name]).toMatchObject({ dtype: 'I32' });
  return 8 + length + (header[name]?.data_offsets[0] ?? 0);
}
