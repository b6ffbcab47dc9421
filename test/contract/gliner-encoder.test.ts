import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

interface Entity {
  readonly label: string;
  readonly score: number;
}
interface Golden {
  readonly texts: readonly string[];
  readonly cases: readonly (object & { readonly results: readonly (readonly Entity[])[] })[];
}

/** Results of gliner; fixtures/scripts/make_gliner_named.py created the model and the results. */
const { texts, cases } = JSON.parse(
  readFileSync(join(FIXTURES, 'golden/gliner-named-encoder.json'), 'utf8'),
) as Golden;
const FILES = folderContents(join(FIXTURES, 'gliner/named-encoder'));
const MODEL = Object.fromEntries(Object.entries(FILES).filter(([path]) => !path.startsWith('encoder/')));
const ENCODER: Readonly<Record<string, string | Buffer>> = {
  ...folderContents(join(FIXTURES, 'gliner/named-encoder/encoder')),
  'pytorch_model.bin': 'weights that must not be downloaded',
  'model.safetensors': 'weights that must not be downloaded',
};

/** Publishes the model, with some members of its settings changed, and its encoder. */
function publish(change: object = {}, encoder = ENCODER): void {
  const config = JSON.parse(String(MODEL['gliner_config.json'])) as object;
  hub().add(
    'acme/gliner',
    new HubRepository({ ...MODEL, 'gliner_config.json': JSON.stringify({ ...config, ...change }) }),
  );
  hub().add('acme/encoder', new HubRepository(encoder));
}

verifiesOnce('zero_shot_ner:named-encoder', async () => {
  publish();
  const pulled = await run(['pull', 'hf:acme/gliner', '--json']);
  expect(pulled).toMatchObject({ exitCode: 0 });
  const { tokenizer, files } = JSON.parse(pulled.stdout) as Record<string, unknown> & { tokenizer: unknown };
  expect(files).toMatchObject([{ path: 'gliner_config.json' }, { path: 'pytorch_model.bin' }]);
  expect(tokenizer).toMatchObject({
    repository: 'acme/encoder',
    files: [{ path: 'config.json' }, { path: 'spm.model' }, { path: 'tokenizer_config.json' }],
  });
  expect((await run(['pull', 'hf:acme/gliner'])).stdout).toMatch(
    /Tokenizer +hf:acme\/encoder@[0-9a-f]{40}\n +config/,
  );
  expect(
    hub()
      .paths()
      .filter((path) => path.includes('encoder') && /\.(?:bin|safetensors)/.test(path)),
  ).toEqual([]);
  // A folder on this machine uses the same cache.
  const local = join(folder(), 'local');
  mkdirSync(local);
  for (const [name, content] of Object.entries(MODEL)) writeFileSync(join(local, name), content);
  for (const model of ['hf:acme/gliner', './local']) {
    const args = ['build', model, '--no-build', '-o', 'x.encoder', '--force', '--offline'];
    expect(await run(args, UNREACHABLE)).toMatchObject({ exitCode: 0 });
    const server = await serveAssets(join(folder(), 'x.assets'));
    let count = 0;
    for (const { results: expected, ...options } of cases) {
      const url = `http://127.0.0.1:${server.httpPort}/predict`;
      const { status, text } = await post(url, { inputs: texts, ...options });
      expect({ status, text }).toMatchObject({ status: 200 });
      const { results } = JSON.parse(text) as { results: { entities: Entity[] }[] };
      const wanted = expected.map((entities) => ({
        entities: entities.map(({ score, ...entity }) => ({ ...entity, score: expect.closeTo(score, 5) })),
      }));
      expect(results).toEqual(wanted);
      count += expected.flat().length;
    }
    expect(count).toBeGreaterThan(100);
    await server.stop();
  }
  const init = await run(['init', 'hf:acme/gliner', '-o', 'gliner.yml']);
  expect(init).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('tokenizer of hf:acme/encoder'),
  });
  expect(await run(['validate', '-f', 'gliner.yml', '--offline'])).toMatchObject({ exitCode: 0 });
});

verifiesOnce('zero_shot_ner:named-encoder-refused', async () => {
  const none = `hf:acme/gliner has no tokenizer, and `;
  const unavailable = `${none}the tokenizer of its encoder`;
  const { 'spm.model': _, ...withoutTokenizer } = ENCODER;
  const words = Array.from({ length: 306 }, (_, id) => [id < 9 ? `▁w${id}` : `x${id}`, -id]);
  const larger = {
    'config.json': ENCODER['config.json'] ?? '',
    'tokenizer.json': JSON.stringify({
      version: '1.0',
      added_tokens: [],
      normalizer: null,
      pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
      post_processor: null,
      decoder: null,
      model: { type: 'Unigram', unk_id: 0, vocab: words.slice(0, 300), byte_fallback: false },
    }),
  };
  const names = [
    '../..',
    '/etc',
    './encoder',
    'https://x.example/a',
    'a/b/c',
    'acme/encoder@main',
    'a/..',
    '',
    7,
    ['a'],
  ];
  const refused: [change: object, encoder: typeof ENCODER, message: string][] = [
    ...names.map((name): [object, typeof ENCODER, string] => [
      { model_name: name },
      ENCODER,
      `${none}\`model_name\` in gliner_config.json is ${JSON.stringify(name)}, which is not the name of a model`,
    ]),
    [
      { model_name: 'acme/gliner' },
      ENCODER,
      `${unavailable} acme/gliner is not available: hf:acme/gliner has no tok`,
    ],
    [
      {},
      withoutTokenizer,
      `${unavailable} acme/encoder is not available: hf:acme/encoder has no tokenizer files. Copy`,
    ],
    [
      { model_name: 'acme/none' },
      ENCODER,
      `${unavailable} acme/none is not available: hf:acme/none does not exist`,
    ],
    [{}, larger, 'The tokenizer has 303 tokens with the special tokens that the build added, but'],
    [
      { class_token_index: 300 },
      ENCODER,
      '`class_token_index` is 300, but with the tokens that gliner adds, the tokenizer has <<ENT>> as token 304. Copy the',
    ],
  ];
  const build = ['build', 'hf:acme/gliner', '--no-build', '-o', 'x.encoder'];
  for (const [change, encoder, message] of refused) {
    publish(change, encoder);
    const { exitCode, stderr } = await run(build);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(message) });
    expect(stderr).not.toContain('\n    at ');
  }
  // A file that is too large to be read is not downloaded.
  publish();
  const huge = hub().add('acme/encoder', new HubRepository(withoutTokenizer));
  const size = 600 * 1024 * 1024;
  huge.extraEntries = [{ type: 'file', path: 'spm.model', size, oid: 'a'.repeat(40) }];
  expect((await run(build)).stderr).toContain('spm.model of hf:acme/encoder has 629 MB, but the maximum is');
  // Without a connection, the error contains the command that downloads the tokenizer.
  rmSync(join(folder(), 'huggingface'), { recursive: true });
  cpSync(join(FIXTURES, 'gliner/named-encoder'), join(folder(), 'local'), { recursive: true });
  const { exitCode, stderr } = await run(['build', './local', '--offline']);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /local has no tokenizer, and the tokenizer of its encoder acme\/encoder is not available: /,
  );
  expect(stderr).toMatch(
    /hf:acme\/encoder is not in the cache .*Run `encoderfile build \S*local` with a network/,
  );
});
