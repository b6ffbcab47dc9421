import { copyFileSync, cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runCliHere } from '../helpers/cli-here.ts';
import { FIXTURES, TEST_CACHE } from '../helpers/paths.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { post } from './http-client.ts';
import { serveBuilt } from './serve-built.ts';
import { useServers } from './started-servers.ts';
import { verifiesOnce, verifiesServed } from './verifies.ts';

interface Golden {
  readonly texts: readonly string[];
  readonly families: Readonly<
    Record<
      string,
      { readonly ids: readonly (readonly number[])[]; readonly fast: Readonly<Record<string, unknown>> }
    >
  >;
}

const folder = useTempFolder();
const { serve } = useServers();
const golden = JSON.parse(readFileSync(join(FIXTURES, 'golden/tokenizers.json'), 'utf8')) as Golden;
/** One family for each kind of vocabulary. */
const FAMILIES = ['bert', 'roberta', 'xlm-roberta'] as const;
const MAX_TOKENS = 100;

/** Writes a model with the graph of a fixture and the vocabulary of a family. Returns the path of its config. */
function writeModel(family: string): string {
  const model = join(folder(), family);
  cpSync(join(FIXTURES, 'tokenizers', family), model, { recursive: true });
  copyFileSync(join(FIXTURES, 'models/embedder/model.onnx'), join(model, 'model.onnx'));
  const config = JSON.parse(readFileSync(join(FIXTURES, 'models/embedder/config.json'), 'utf8')) as object;
  const own = JSON.parse(readFileSync(join(model, 'config.json'), 'utf8')) as object;
  writeFileSync(join(model, 'config.json'), JSON.stringify({ ...config, ...own }));
  const path = join(folder(), `${family}.yml`);
  const encoderfile = { name: family, path: `./${family}`, model_type: 'embedding' };
  writeFileSync(path, JSON.stringify({ encoderfile }));
  return path;
}

// One test per family, because each builds an executable.
for (const family of FAMILIES) {
  verifiesServed('build:older-tokenizer', async (arm) => {
    const config = writeModel(family);
    const output = join(folder(), `${family}.encoder`);
    const server = await serveBuilt(arm, config, output, serve);
    const expected = golden.families[family];
    // Both transformers tokenizers agree on these texts, so the IDs do not depend on rules that only one of them has.
    const indexes = [...golden.texts.keys()].filter(
      (index) => !(index in (expected?.fast ?? {})) && (expected?.ids[index]?.length ?? 0) <= MAX_TOKENS,
    );
    expect(indexes.length).toBeGreaterThan(100);
    const inputs = indexes.map((index) => golden.texts[index]);
    const { status, text } = await post(`http://127.0.0.1:${server.httpPort}/tokenize`, { inputs });
    expect(status).toBe(200);
    const tokens = JSON.parse(text) as { id: number }[][];
    expect(tokens.map((each) => each.map(({ id }) => id))).toEqual(
      indexes.map((index) => expected?.ids[index]),
    );
    await server.stop();
  });
}

verifiesOnce('build:bad-vocabulary', async () => {
  const cases: [family: string, file: string, content: string | Uint8Array, message: RegExp][] = [
    ['bert', 'vocab.txt', '', /^Error: \S+vocab\.txt is empty\. It must contain one token per line\.$/],
    ['bert', 'vocab.txt', 'a\nb\na\n', /^Error: \S+vocab\.txt has the token "a" on lines 1 and 3/],
    ['bert', 'vocab.txt', 'a\nb\n', /^Error: The vocabulary has no token "\[UNK\]"/],
    ['bert', 'vocab.txt', '[UNK]\na\n', /^Error: The vocabulary has no token "\[CLS\]"/],
    ['bert', 'vocab.txt', new Uint8Array([0x61, 0xff]), /^Error: \S+vocab\.txt is not UTF-8 on line 1/],
    ['roberta', 'merges.txt', '#version\na b c\n', /^Error: \S+merges\.txt, line 2 is "a b c"/],
    ['roberta', 'vocab.json', '{"a":', /^Error: \S+vocab\.json is not valid JSON/],
    ['xlm-roberta', 'sentencepiece.bpe.model', '', /^Error: \S+ has no pieces/],
    [
      'xlm-roberta',
      'sentencepiece.bpe.model',
      new Uint8Array([0x0a, 0x7f]),
      /^Error: \S+ is not a complete sentencepiece model/,
    ],
  ];
  for (const [family, file, content, message] of cases) {
    const config = writeModel(family);
    writeFileSync(join(folder(), family, file), content);
    const args = ['build', '-f', config, '-o', 'x.encoder', '--cache-dir', TEST_CACHE];
    const { exitCode, stdout, stderr } = await runCliHere(args, { cwd: folder() });
    expect({ file, exitCode, stdout }).toEqual({ file, exitCode: 1, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('\n    at ');
    expect(existsSync(join(folder(), 'x.encoder'))).toBe(false);
  }
});
