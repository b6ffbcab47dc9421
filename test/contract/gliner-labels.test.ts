import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { hubCli } from '../helpers/hub-cli.ts';
import { folderContents, HubRepository } from '../helpers/hub-repository.ts';
import { FIXTURES } from '../helpers/paths.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { useHub } from '../helpers/use-hub.ts';
import { post } from './http-client.ts';
import { serveAssets } from './serving.ts';
import { verifiesOnce } from './verifies.ts';

const folder = useTempFolder();
const hub = useHub();
const run = hubCli(hub, folder);
const UNREACHABLE = { HF_ENDPOINT: 'http://127.0.0.1:9' };
const PLACE = 'labels_tokenizer/';

type Files = Readonly<Record<string, string | Buffer>>;

/** A model with the tokenizer of its second encoder; fixtures/scripts/make_gliner_bi.py created it. */
const SAVED: Files = folderContents(join(FIXTURES, 'gliner/bi-span'));
const isLabelFile = ([path]: readonly [string, unknown]): boolean => path.startsWith(PLACE);
const MODEL: Files = Object.fromEntries(Object.entries(SAVED).filter((file) => !isLabelFile(file)));
const TOKENIZER: Files = Object.fromEntries(
  Object.entries(SAVED)
    .filter(isLabelFile)
    .map(([path, content]) => [path.slice(PLACE.length), content]),
);
const CONFIG = JSON.parse(String(MODEL['gliner_config.json'])) as Record<string, unknown> & {
  readonly labels_encoder_config: object;
};
const ENCODER: Files = {
  ...TOKENIZER,
  'config.json': JSON.stringify(CONFIG.labels_encoder_config),
  'pytorch_model.bin': 'weights that must not be downloaded',
  'model.safetensors': 'weights that must not be downloaded',
};

interface Golden {
  readonly texts: readonly string[];
  readonly weights: Readonly<
    Record<string, readonly (object & { results: readonly (readonly Entity[])[] })[]>
  >;
}
interface Entity {
  readonly score: number;
}
const { texts, weights } = JSON.parse(
  readFileSync(join(FIXTURES, 'golden/gliner-bi.json'), 'utf8'),
) as Golden;

/** Publishes a model, with some members of its settings changed, and its second encoder. */
function publish(change: object = {}, encoder: Files = ENCODER, model: Files = MODEL): void {
  const config = JSON.stringify({ ...CONFIG, ...change });
  hub().add('acme/gliner', new HubRepository({ ...model, 'gliner_config.json': config }));
  hub().add('acme/labels', new HubRepository(encoder));
}

function writeLocal(files: Files): string {
  const local = join(folder(), 'local');
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(local, name)), { recursive: true });
    writeFileSync(join(local, name), content);
  }
  return local;
}

async function expectGolden(): Promise<void> {
  const server = await serveAssets(join(folder(), 'x.assets'));
  for (const { results: expected, ...options } of weights['bi-span'] ?? []) {
    const { status, text } = await post(`http://127.0.0.1:${server.httpPort}/predict`, {
      inputs: texts,
      ...options,
    });
    expect({ status, text }).toMatchObject({ status: 200 });
    const { results } = JSON.parse(text) as { results: { entities: Entity[] }[] };
    const wanted = expected.map((entities) => ({
      entities: entities.map(({ score, ...entity }) => ({ ...entity, score: expect.closeTo(score, 5) })),
    }));
    expect(results).toEqual(wanted);
  }
  await server.stop();
}

verifiesOnce('zero_shot_ner:label-tokenizer', async () => {
  // The encoder's settings are those of its repository if the model does not state them.
  publish({ labels_encoder_config: null });
  const pulled = await run(['pull', 'hf:acme/gliner', '--json']);
  expect(pulled).toMatchObject({ exitCode: 0 });
  const { labelTokenizer, ...others } = JSON.parse(pulled.stdout) as Record<string, unknown>;
  expect(labelTokenizer).toMatchObject({
    repository: 'acme/labels',
    files: [{ path: 'config.json' }, { path: 'tokenizer.json' }, { path: 'tokenizer_config.json' }],
  });
  expect(others).not.toHaveProperty('tokenizer');
  expect((await run(['pull', 'hf:acme/gliner'])).stdout).toMatch(
    /Label tokenizer +hf:acme\/labels@[0-9a-f]{40}\n +config/,
  );
  expect(
    hub()
      .paths()
      .filter((path) => path.includes('labels') && /\.(?:bin|safetensors)/.test(path)),
  ).toEqual([]);
  const config = JSON.stringify({ ...CONFIG, labels_encoder_config: null });
  writeLocal({ ...MODEL, 'gliner_config.json': config });
  for (const model of ['hf:acme/gliner', './local']) {
    const args = ['build', model, '--no-build', '-o', 'x.encoder', '--force', '--offline'];
    expect(await run(args, UNREACHABLE)).toMatchObject({ exitCode: 0 });
    await expectGolden();
  }
  expect(await run(['init', 'hf:acme/gliner', '-o', 'gliner.yml'])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('label tokenizer of hf:acme/labels'),
  });
  expect(await run(['validate', '-f', 'gliner.yml', '--offline'])).toMatchObject({ exitCode: 0 });
  // A tokenizer in the repository itself is used first.
  rmSync(join(folder(), 'huggingface'), { recursive: true });
  publish({ labels_encoder: 'acme/none' }, {}, SAVED);
  const build = ['build', 'hf:acme/gliner', '--no-build', '-o', 'x.encoder', '--force'];
  expect(await run(build)).toMatchObject({ exitCode: 0 });
  await expectGolden();
});

verifiesOnce('zero_shot_ner:label-tokenizer-refused', async () => {
  const none = 'hf:acme/gliner has no tokenizer for labels, and ';
  const unavailable = `${none}the tokenizer of its labels encoder`;
  const place = 'labels_tokenizer in the folder of the model';
  const { 'tokenizer.json': tokenizer = '', ...withoutTokenizer } = ENCODER;
  const content = JSON.parse(String(tokenizer)) as { added_tokens: object[] };
  const added = { special: true, single_word: false, lstrip: false, rstrip: false, normalized: false };
  const larger = {
    ...content,
    added_tokens: [...content.added_tokens, { id: 5000, content: '<more>', ...added }],
  };
  const names = [
    '../..',
    '/etc',
    './labels',
    'https://x.example/a',
    'acme/labels@main',
    'a/..',
    '',
    7,
    ['a'],
  ];
  const refused: [change: object, encoder: Files, message: string][] = [
    ...names.map((name): [object, Files, string] => [
      { labels_encoder: name },
      ENCODER,
      `${none}\`labels_encoder\` in gliner_config.json is ${JSON.stringify(name)}, which is not the name of a model on the hub. Copy the tokenizer files of the model's labels encoder to ${place}.`,
    ]),
    [
      {},
      withoutTokenizer,
      `${unavailable} acme/labels is not available: hf:acme/labels has no tokenizer files. Copy the tokenizer files of the labels encoder to ${place}, and build that folder.`,
    ],
    [
      { labels_encoder: 'acme/none' },
      ENCODER,
      `${unavailable} acme/none is not available: hf:acme/none does not exist`,
    ],
    [
      {},
      { ...ENCODER, 'tokenizer.json': JSON.stringify(larger) },
      'The tokenizer for labels has 221 tokens, but the second encoder in',
    ],
    [
      { labels_encoder_config: { model_type: 'convbert' } },
      ENCODER,
      'has the encoder "convbert", which is not supported without an export.',
    ],
  ];
  const build = ['build', 'hf:acme/gliner', '--no-build', '-o', 'x.encoder'];
  for (const [change, encoder, message] of refused) {
    publish(change, encoder);
    const { exitCode, stderr } = await run(build);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(message) });
    expect(stderr).not.toContain('\n    at ');
  }
  // A config with a path for each file.
  const local = writeLocal(MODEL);
  const paths = {
    model_config_path: join(local, 'gliner_config.json'),
    model_weights_path: join(local, 'model.safetensors'),
    tokenizer_path: join(local, 'tokenizer.json'),
  };
  const settings = { name: 'x', path: paths, model_type: 'zero_shot_ner' };
  writeFileSync(join(folder(), 'files.yml'), JSON.stringify({ encoderfile: settings }));
  const files = await run(['validate', '-f', 'files.yml']);
  expect(files.stderr).toMatch(
    /`labels_encoder` is "acme\/labels", but \S+labels_tokenizer has no tokenizer files\. Copy the tokenizer files of this encoder to it\./,
  );
  // The graph of a model of the other kind.
  const { 'model.safetensors': _, ...others } = SAVED;
  const graphs: [name: string, change: object, message: RegExp][] = [
    [
      'gliner-span',
      {},
      /has no input `labels_input_ids`, which GLiNER models with this gliner_config\.json require\. Use the/,
    ],
    [
      'gliner-bi',
      { labels_encoder: null },
      /requires the input `labels_\w+`, which only GLiNER models with `labels_encoder` in gliner_config\.json have\. Use/,
    ],
  ];
  for (const [name, change, message] of graphs) {
    rmSync(local, { recursive: true });
    const graph = readFileSync(join(FIXTURES, 'models', name, 'model.onnx'));
    writeLocal({
      ...others,
      'gliner_config.json': JSON.stringify({ ...CONFIG, ...change }),
      'model.onnx': graph,
    });
    const { exitCode, stderr } = await run(['validate', './local']);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(message) });
  }
});
