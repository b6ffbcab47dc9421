import {
  copyFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect } from 'vitest';
import { builtAssets, builtBuildTool, builtExecutable } from '../helpers/built.ts';
import { fixtureContents, HubRepository } from '../helpers/hub-repository.ts';
import { hubVariables, useHub } from '../helpers/use-hub.ts';
import { createLibraryProject, type LibraryProject } from '../helpers/library-project.ts';
import { copyModel } from '../helpers/models.ts';
import { FIXTURES, ROOT } from '../helpers/paths.ts';
import { verifiesOnce } from './verifies.ts';

let project: LibraryProject;
const hub = useHub();

beforeAll(async () => {
  project = await createLibraryProject(mkdtempSync(join(tmpdir(), 'encoderfile-library-')));
});

afterAll(() => rmSync(project.folder, { recursive: true, force: true }));

const OPEN = (path: string, options = ''): string => `open(${JSON.stringify(path)}${options})`;

/** Runs a script that prints one line of JSON for each call of `print`, and returns the values. */
async function printed(
  body: string,
  args: readonly string[] = [],
  env: Record<string, string | undefined> = {},
): Promise<unknown[]> {
  const script = `
import { EncoderfileError, open } from 'encoderfile';
const print = (value) => console.log(JSON.stringify(value));
const failure = async (run) => {
  try { await run(); print('no error'); }
  catch (error) { print([error instanceof EncoderfileError ? error.code : error.name, error.message]); }
};
${body}`;
  const { exitCode, stdout, stderr } = await project.run(script, { args, env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout.split('\n').map((line) => JSON.parse(line) as unknown);
}

verifiesOnce('library:errors', async () => {
  const { folder } = project;
  const [text, cut] = [join(folder, 'text.txt'), join(folder, 'cut.encoder')];
  writeFileSync(text, 'not a model\n');
  copyFileSync(builtExecutable('sentence'), cut);
  truncateSync(cut, readFileSync(cut).length - 1000);
  const failures = await printed(`
await failure(() => open('missing.encoder'));
await failure(() => open(${JSON.stringify(text)}));
await failure(() => open(${JSON.stringify(cut)}));
await failure(() => open(${JSON.stringify(builtBuildTool())}));
await failure(() => open());
await failure(() => ${OPEN(builtAssets('sentence'), ', { worker: 1 }')});
await failure(() => ${OPEN(builtAssets('sentence'), ', { workers: "1" }')});
await failure(() => ${OPEN(builtAssets('sentence'), ', null')});
await failure(() => ${OPEN(builtAssets('sentence'), ', { type: "fill_mask" }')});
await failure(() => ${OPEN(builtAssets('sentence'), ', { signal: AbortSignal.abort() }')});
const model = await ${OPEN(builtAssets('sentence'))};
await failure(() => model.predict(['text']));
await failure(() => model.embed('text'));
await failure(() => model.embed(['a', '']));
await failure(() => model.embed(['a', 5]));
await failure(() => model.embed(['a'], { normalise: true }));
await failure(() => model.embed(['a'], { priority: 'high' }));
await failure(() => model.embed(['a'], null));
await failure(() => model.embed(['a '.repeat(100)], { truncate: false }));
await failure(() => model.embed(['a'.repeat(200_001)]));
print(await model.embed([]));
await model.close();
await failure(() => model.embed(['a']));
const images = await ${OPEN(builtAssets('patches'))};
await failure(() => images.embed(['missing.png']));
await failure(() => images.embed([new URL('https://example.com/image.png')]));
await failure(() => images.embed([5]));
await failure(() => images.embed([Buffer.from('no image')]));
await images.close();`);
  expect(failures).toEqual([
    ['ConfigError', 'No such file: missing.encoder'],
    ['ConfigError', expect.stringMatching(/text\.txt is not an encoderfile executable, or it is truncated/)],
    [
      'ConfigError',
      expect.stringMatching(/cut\.encoder is not an encoderfile executable, or it is truncated/),
    ],
    ['ConfigError', expect.stringMatching(/contains no model/)],
    ['ConfigError', expect.stringMatching(/^open requires the path of a model/)],
    ['ConfigError', expect.stringMatching(/^open has no option "worker"\. Options: type, workers, /)],
    ['ConfigError', 'Invalid workers: "1". Valid values: a positive integer.'],
    ['InputError', 'The options must be an object.'],
    ['ConfigError', expect.stringMatching(/^sentence is of type sentence_embedding, not fill_mask\./)],
    ['AbortError', expect.any(String)],
    ['InputError', 'sentence is of type sentence_embedding. Use embed() instead of predict().'],
    ['InputError', 'The inputs must be an array, not a string. Pass [input].'],
    ['InputError', 'Cannot tokenize empty string'],
    ['InputError', 'inputs/1 must be text or a pair of texts, not 5'],
    ['InputError', 'unknown key "normalise" (did you mean normalize?)'],
    ['InputError', 'Invalid priority: "high". Valid values: interactive, bulk.'],
    ['InputError', 'The options must be an object.'],
    ['InputError', expect.stringMatching(/^Input 0 is too long: it has more than 64 tokens/)],
    ['InputError', expect.stringMatching(/but the maximum is 200000 \(maxInputChars\)/)],
    [],
    ['UnavailableError', 'The model sentence is closed. Open it again.'],
    ['InputError', expect.stringMatching(/^Input 0: cannot read the image missing\.png: /)],
    ['InputError', 'Input 0 is a URL. Fetch the image, and pass its bytes.'],
    ['InputError', expect.stringMatching(/^Input 0 must be an image: the path or the bytes of a file/)],
    ['InputError', expect.stringMatching(/^Input 0: /)],
  ]);
});

verifiesOnce('library:build', async () => {
  const { folder } = project;
  const model = copyModel('sentiment', join(folder, 'sentiment'));
  const cacheDir = join(folder, 'cache');
  const read = `
const model = await ${OPEN(model, `, { cacheDir: ${JSON.stringify(cacheDir)} }`)};
print([model.name, model.type, (await model.predict(['I love this']))[0].predicted_label]);
await model.close();`;
  const cached = (): string[] => readdirSync(join(cacheDir, 'models')).sort();
  expect(await printed(read)).toEqual([['sentiment', 'sequence_classification', expect.any(String)]]);
  const [first] = cached();
  expect(await printed(read)).toHaveLength(1);
  expect(cached()).toEqual([first]);
  cpSync(join(FIXTURES, 'models/sentiment/config.json'), join(model, 'config.json'), { force: true });
  expect(await printed(read)).toHaveLength(1);
  expect(cached()).toHaveLength(2);
});

/** Opens a model of a hub and prints its name. */
const FROM_HUB = `
const model = await open(process.argv[2], { cacheDir: process.argv[3] });
print([model.name, (await model.embed(['a'])).length]);
await model.close();`;

verifiesOnce('library:hub', async () => {
  const repository = hub().add('acme/sentence', new HubRepository(fixtureContents('sentence')));
  const first = repository.resolve('main') ?? '';
  const cacheDir = join(project.folder, 'hub-cache');
  const read = (name: string, env: object = {}): Promise<unknown[]> =>
    printed(FROM_HUB, [name, cacheDir], { ...hubVariables(hub(), project.folder), ...env });
  const cached = (): number => readdirSync(join(cacheDir, 'models')).length;
  expect(await read('hf:acme/sentence')).toEqual([['sentence', 1]]);
  expect(await read(`hf:acme/sentence@${first}`, { HF_ENDPOINT: 'http://127.0.0.1:9' })).toEqual([
    ['sentence', 1],
  ]);
  expect(cached()).toBe(1);
  repository.commit(fixtureContents('sentence', { 'README.md': 'changed' }));
  expect(await read('hf:acme/sentence')).toEqual([['sentence', 1]]);
  expect(cached()).toBe(2);
});

/** Texts that run for seconds. */
const MANY = 'Array.from({ length: 5000 }, (_, at) => `text ${at} `.repeat(40))';

verifiesOnce('library:concurrent', async () => {
  const path = builtAssets('sentence');
  const [count, isSame, isStillOpen, reason, last] = await printed(`
const [one, two] = await Promise.all([open(${JSON.stringify(path)}), open(${JSON.stringify(path)})]);
const texts = Array.from({ length: 300 }, (_, at) => 'text ' + at);
const vectors = await Promise.all(texts.map((text) => one.embed([text])));
print(vectors.length);
const [[again]] = await Promise.all([two.embed(['text 7']), two.embed(texts)]);
print(again.every((value, at) => Math.abs(value - vectors[7][0][at]) < 1e-6));
await one.close();
await one.close();
print((await two.embed(['a'])).length);
const abort = new AbortController();
const call = two.embed(${MANY}, { signal: abort.signal });
setTimeout(() => abort.abort(new Error('mine')), 20);
await call.catch((error) => print(error.message));
const accepted = two.embed(['last']);
await two[Symbol.asyncDispose]();
print((await accepted).length);`);
  expect({ count, isSame, isStillOpen, reason, last }).toEqual({
    count: 300,
    isSame: true,
    isStillOpen: 1,
    reason: 'mine',
    last: 1,
  });
});

verifiesOnce('library:threads', async () => {
  const script = `
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
const embed = async () => {
  const model = await ${OPEN(builtAssets('sentence'))};
  const [vector] = await model.embed(['I love this']);
  await model.close();
  return vector[0];
};
if (isMainThread) {
  const inThread = () => new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url));
    let first;
    worker.on('message', (value) => (first = value)).on('error', reject).on('exit', () => resolve(first));
  });
  const first = await inThread();
  const all = [first, ...(await Promise.all([inThread(), inThread()])), await embed(), await inThread()];
  print(all.every((value) => value === all[0] && Number.isFinite(value)));
} else parentPort.postMessage(await embed());`;
  expect(await printed(script)).toEqual([true]);
});

verifiesOnce('library:exit', async () => {
  const call = `import { open } from 'encoderfile';
const model = await ${OPEN(builtAssets('sentence'), ', { workers: 1, maxBatchTokens: 200_000 }')};
`;
  const forgotten = await project.run(`${call}console.log((await model.embed(['a', 'b'])).length);`);
  expect(forgotten).toEqual({ exitCode: 0, stdout: '2', stderr: '' });
  const pending = await project.run(
    `${call}void model.embed(${MANY}.slice(0, 400)).then((all) => console.log(all.length));`,
  );
  expect(pending).toEqual({ exitCode: 0, stdout: '400', stderr: '' });
  // The first batch is running when the process exits.
  const early = await project.run(
    `${call}void model.embed(${MANY});\nsetTimeout(() => process.exit(7), 100);`,
  );
  expect(early).toEqual({ exitCode: 7, stdout: '', stderr: '' });
});

verifiesOnce('library:modules', async () => {
  const { folder } = project;
  const required = await project.run(
    `const { open } = require('encoderfile');
open(${JSON.stringify(builtAssets('sentence'))}).then(async (model) => {
  console.log(model.dimensions, model.labels, (await import('encoderfile')).open === open);
  await model.close();
});`,
    { name: 'script.cjs' },
  );
  expect(required).toEqual({ exitCode: 0, stdout: '32 undefined true', stderr: '' });
  const stdin = await execa(process.execPath, ['--input-type=module', '-'], {
    cwd: folder,
    input: `import { open } from 'encoderfile';
const model = await ${OPEN(builtAssets('sentence'))};
console.log((await model.embed(['a']))[0].constructor.name);`,
  });
  expect(stdin.stdout).toBe('Float32Array');
  for (const name of ['types.mts', 'types.cts'])
    copyFileSync(join(ROOT, 'test/contract/library-types', 'program.ts.txt'), join(folder, name));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  const checked = await execa(join(ROOT, 'node_modules/.bin/tsc'), ['-p', '.'], {
    cwd: folder,
    reject: false,
  });
  expect(checked.stdout).toBe('');
  expect(checked.exitCode).toBe(0);
});

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    exactOptionalPropertyTypes: true,
    target: 'es2022',
    lib: ['es2023', 'esnext.disposable'],
    module: 'nodenext',
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
  },
  include: ['types.mts', 'types.cts'],
};
