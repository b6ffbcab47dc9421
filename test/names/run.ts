import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { messageOf } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { folderContents, HubRepository } from '../helpers/hub-repository.ts';
import { HubServer } from '../helpers/hub-server.ts';
import { ROOT, TEST_CACHE } from '../helpers/paths.ts';
import { portIn, startExecutable } from '../helpers/start-executable.ts';
import { hubVariables } from '../helpers/use-hub.ts';
import { LABELS, QUESTION } from '../models/tasks.ts';
import { differenceOf, ENTITY_THRESHOLD, type Expected, type Predict } from './compare-model.ts';
import { NAMED_MODELS } from './list.ts';
import { type ModelRow, writePage } from './page.ts';
import { libraryPython } from './python.ts';
import type { NamedModel } from './shape.ts';
import { textsFor } from './texts.ts';
import { chosen } from '../helpers/chosen.ts';

// `npm run test:names [-- PART-OF-A-NAME...]`: writes a folder with the files of each published model and small random weights, serves it on a
// local hub, runs `encoderfile build hf:NAME`, and compares the executable with the published libraries. Updates the rows of
// docs/models-by-name.md. Exit code 1 if a result differs by more than the limit, or a folder cannot be written.

/** Relative to the largest value of a model. Static models are sums of the same numbers in the same order. */
const LIMIT = 1e-5;
const STATIC_LIMIT = 1e-6;
const STATIC_TASKS = new Set(['static', 'model2vec']);

const models = chosen(NAMED_MODELS, ({ name }) => name);
const scratch = mkdtempSync(join(tmpdir(), 'encoderfile-names-'));
const hub = await HubServer.start();
/** The build tool as one script, which starts faster than its sources. It needs the packages of this folder. */
const cli = join(TEST_CACHE, `names-${process.pid}.cjs`);
try {
  await execa(process.execPath, [join(ROOT, 'test/helpers/bundle-cli.ts'), cli]);
  const rows: ModelRow[] = [];
  for await (const made of writeFolders(models)) {
    const row = await rowOf(made);
    console.error(`${row.state.padEnd(8)} ${row.name}  ${row.type}  ${row.result}`);
    if (row.state === 'wrong') process.exitCode = 1;
    rows.push(row);
    // Also after an interrupted run, the page has the rows that were measured.
    await writePage(rows);
  }
  const count = (state: ModelRow['state']): number => rows.filter((row) => row.state === state).length;
  console.log(`${count('equal')} built and equal, ${count('refused')} refused, ${count('wrong')} wrong`);
} finally {
  await hub.close();
  rmSync(cli, { force: true });
  rmSync(scratch, { recursive: true, force: true });
}

interface Made {
  readonly model: NamedModel;
  readonly texts: readonly string[];
  readonly folder: string;
  /** The folders of other repositories that the build needs, by name. */
  readonly others: Readonly<Record<string, string>>;
  /** Undefined for folders that must be refused. */
  readonly expected?: Expected | null;
}

/** Runs write_folders.py once for all models. */
async function* writeFolders(wished: readonly NamedModel[]): AsyncGenerator<Made> {
  const job = {
    models: wished.map((model) => ({ ...model, inputs: textsFor(model) })),
    question: QUESTION,
    labels: LABELS,
    threshold: ENTITY_THRESHOLD,
    into: join(scratch, 'models'),
  };
  const { stdout } = await execa(await libraryPython(), [join(import.meta.dirname, 'write_folders.py')], {
    input: JSON.stringify(job),
  });
  for (const [at, line] of stdout.trim().split('\n').entries()) {
    const { name, folder, others, expected, error } = parseJsonText(line) as Made & {
      name: string;
      error?: string;
    };
    if (error !== undefined) throw new Error(`${name}: ${error}`);
    const model = wished[at];
    if (model?.name !== name) throw new Error(`write_folders.py returned ${name} in another order`);
    yield {
      model,
      texts: textsFor(model),
      folder,
      others,
      ...(expected === undefined ? {} : { expected }),
    };
  }
}

async function rowOf({ model, texts, folder, others, expected }: Made): Promise<ModelRow> {
  const files = folderContents(folder);
  hub.add(model.name, new HubRepository(files));
  for (const [name, other] of Object.entries(others)) hub.add(name, new HubRepository(folderContents(other)));
  const config = files['config.json'] === undefined ? {} : parseJsonText(String(files['config.json']));
  const modelType = String(Object(config).model_type ?? (STATIC_TASKS.has(model.task) ? 'none' : 'GLiNER'));
  const executable = join(scratch, 'model.encoder');
  const built = await build(model.name, executable);
  const facts = { name: model.name, modelType };
  if ('refusal' in built) {
    return {
      ...facts,
      type: '-',
      how: '-',
      state: 'refused',
      // Without the folder of the cache.
      result: built.refusal.replaceAll(/\S*\/snapshots\/[0-9a-f]{40}\//g, ''),
    };
  }
  const { manifest } = built;
  const more = { ...facts, type: manifest.modelType, how: howBuilt(manifest) };
  if (!expected) return { ...more, state: 'wrong', result: 'built, but there is no reference' };
  const served = await serve(executable);
  try {
    const difference = await differenceOf(
      model,
      texts,
      expected,
      served.predict,
      manifest.mask?.token ?? '[MASK]',
    );
    const limit = STATIC_TASKS.has(model.task) ? STATIC_LIMIT : LIMIT;
    return { ...more, state: difference <= limit ? 'equal' : 'wrong', result: difference.toExponential(1) };
  } catch (error) {
    return { ...more, state: 'wrong', result: messageOf(error) };
  } finally {
    await served.stop();
  }
}

interface BuiltManifest {
  readonly modelType: string;
  readonly source?: { readonly graph?: string };
  readonly sentence?: { readonly table?: object };
  readonly pairPrompt?: object;
  readonly tokenOutputs?: object;
  readonly mask?: { readonly token: string };
}

function howBuilt({ source, sentence, pairPrompt, tokenOutputs }: BuiltManifest): string {
  if (sentence?.table) return 'static table';
  const weights = `from ${source?.graph ?? 'an unknown file'}`;
  if (pairPrompt) return `generative reranker, ${weights}`;
  return tokenOutputs ? `three outputs, ${weights}` : weights;
}

async function build(
  name: string,
  executable: string,
): Promise<{ readonly manifest: BuiltManifest } | { readonly refusal: string }> {
  const args = ['build', `hf:${name}`, '--json', '--force', '-o', executable, '--cache-dir', TEST_CACHE];
  const { stdout } = await execa(process.execPath, [cli, ...args], {
    env: hubVariables(hub, scratch),
    reject: false,
  });
  const result = parseJsonText(stdout) as { error?: { message: string }; manifest: BuiltManifest };
  return result.error === undefined ? { manifest: result.manifest } : { refusal: result.error.message };
}

async function serve(
  path: string,
): Promise<{ readonly predict: Predict; readonly stop: () => Promise<void> }> {
  const flags = ['--http-hostname', '127.0.0.1', '--http-port', '0', '--disable-grpc'];
  const running = startExecutable(path, ['serve', ...flags]);
  const port = portIn(await running.said(/"msg":"serving"/), 'HTTP');
  return {
    predict: async (body) => {
      const response = await fetch(`http://127.0.0.1:${port}/predict`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`/predict answers ${response.status}: ${text}`);
      return (parseJsonText(text) as { results: Awaited<ReturnType<Predict>> }).results;
    },
    stop: async () => {
      running.child.kill('SIGTERM');
      await running.ended;
    },
  };
}
