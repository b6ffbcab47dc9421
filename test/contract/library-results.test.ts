import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { MODEL_TYPE_NAMES } from '#contract/model-types.ts';
import { isObject } from '#core/json/is-object.ts';
import { builtAssets, builtExecutable } from '../helpers/built.ts';
import { createLibraryProject, type LibraryProject } from '../helpers/library-project.ts';
import { post } from './http-client.ts';
import { LIBRARY_CASES, type LibraryCase } from './library-cases.ts';
import { serveAssets } from './serving.ts';
import { verifiesOnce } from './verifies.ts';

let project: LibraryProject;

beforeAll(async () => {
  project = await createLibraryProject(mkdtempSync(join(tmpdir(), 'encoderfile-library-')));
});

afterAll(() => rmSync(project.folder, { recursive: true, force: true }));

/** Runs all calls and prints their results; vectors are written as the bits of their numbers. */
const SCRIPT = `
import { readFileSync } from 'node:fs';
import { open } from 'encoderfile';
const bits = (key, value) => ArrayBuffer.isView(value)
  ? { [value.constructor.name]: [...new Uint32Array(value.buffer, value.byteOffset, value.length)] } : value;
for (const { path, inputs, options } of JSON.parse(readFileSync('cases.json', 'utf8'))) {
  const model = await open(path, { workers: 1 });
  const results = await (model.dimensions === undefined ? model.predict(inputs, options) : model.embed(inputs, options));
  console.log(JSON.stringify({ type: model.type, results }, bits));
  await model.close();
}`;

interface Printed {
  readonly type: string;
  readonly results: readonly unknown[];
}

verifiesOnce('library:results', async () => {
  const cases = LIBRARY_CASES.map((one, at) => ({
    ...one,
    path: at === 0 ? builtExecutable(one.model) : builtAssets(one.model),
  }));
  writeFileSync(join(project.folder, 'cases.json'), JSON.stringify(cases));
  const { exitCode, stdout, stderr } = await project.run(SCRIPT);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const printed = stdout.split('\n').map((line) => JSON.parse(line) as Printed);
  expect(new Set(printed.map(({ type }) => type))).toEqual(new Set(MODEL_TYPE_NAMES));
  for (const [at, { type, results }] of printed.entries()) {
    const one = cases[at];
    if (!one) throw new Error('there are more results than calls');
    expect(results, one.model).toEqual(await resultsOverHttp(one, type));
  }
});

/** The results of the same call over HTTP, in the form of the script. */
async function resultsOverHttp(
  { model, inputs, options = {} }: LibraryCase,
  type: string,
): Promise<unknown[]> {
  const served = await serveAssets(builtAssets(model), ['--workers', '1']);
  try {
    const url = `http://127.0.0.1:${served.httpPort}`;
    const body = inputs.map((input) => asJson(input, type));
    const { pooling, ...fields } = options;
    if (type === 'embedding' && pooling === undefined) {
      const answer = await postJson(`${url}/v1/embeddings`, { input: body, normalize: false });
      return (answer as { data: Record<string, unknown>[] }).data.map(({ embedding }) => floats(embedding));
    }
    const defaults = type === 'embedding' ? { normalize: false } : {};
    const { results } = (await postJson(`${url}/predict`, { ...defaults, ...fields, inputs: body })) as {
      results: Record<string, unknown>[];
    };
    return results.map((result) => VECTORS[type]?.(result) ?? result);
  } finally {
    await served.stop();
  }
}

/** Vectors in results, by model type. Other types have the same results. */
const VECTORS: Readonly<Record<string, (result: Record<string, unknown>) => unknown>> = {
  embedding: ({ embeddings }) =>
    (embeddings as { embedding: unknown }[]).map(({ embedding }) => floats(embedding)),
  multi_vector: ({ vectors }) => (vectors as unknown[]).map(floats),
  sparse_embedding: sparse,
  image_embedding: ({ embedding }) => floats(embedding),
  image_text_embedding: ({ embedding }) => floats(embedding),
  sentence_embedding: ({ embedding, vectors, sparse: one }) =>
    isObject(one)
      ? { embedding: floats(embedding), vectors: (vectors as unknown[]).map(floats), sparse: sparse(one) }
      : floats(embedding),
};

function sparse({ indices, values, tokens }: Record<string, unknown>): object {
  return { indices: { Int32Array: indices }, values: floats(values), ...(tokens ? { tokens } : {}) };
}

const floats = (numbers: unknown) => ({
  Float32Array: [...new Uint32Array(Float32Array.from(numbers as number[]).buffer)],
});

async function postJson(url: string, body: object): Promise<unknown> {
  const { status, text } = await post(url, body);
  if (status !== 200) throw new Error(text);
  return JSON.parse(text);
}

/** Images are paths in the script. */
function asJson(input: unknown, type: string): unknown {
  const isImage = /^image_(?!text)|object|image_classification/.test(type);
  if (isImage && typeof input === 'string') return readFileSync(input).toString('base64');
  if (!isObject(input) || typeof input['image'] !== 'string') return input;
  return { image: readFileSync(input['image']).toString('base64') };
}
