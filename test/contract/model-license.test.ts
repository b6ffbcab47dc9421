import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { readContainer } from '#contract/container/read.ts';
import { openFileSource } from '#platform/file-source.ts';
import { builtExecutable } from '../helpers/built.ts';
import { copyModel, writeConfig } from '../helpers/model-folder.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import { runCliHere as runCli } from '../helpers/cli-here.ts';
import { type Answer, runProcess } from '../helpers/run-process.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { verifiesOnce } from './verifies.ts';

const folder = useTempFolder();
const executable = (): string => join(folder(), 'model.encoder');
const build = (config: string, ...args: string[]): Promise<Answer> =>
  runCli(['build', '-f', config, '--cache-dir', TEST_CACHE, ...args], { cwd: folder() });
const run = (...args: string[]): Promise<Answer> => runProcess(executable(), args);
const write = (name: string, content: string | Uint8Array): void =>
  writeFileSync(join(folder(), 'model', name), content);

const CARD = `---
license: other
license_name: research-1
license_link: LICENSE
language: [en, de]
base_model: org/base
tags: [sentiment]
---

# Sentiment of reviews

## Citation

\`\`\`bibtex
@misc{reviews,
  title = {Reviews}
}
\`\`\`
`;
const CITATION = '@misc{reviews,\n  title = {Reviews}\n}';

verifiesOnce('build:license', async () => {
  const config = copyModel(folder());
  write('README.md', CARD);
  write('LICENSE', 'Research License\n\nFor research only.\n');
  write('NOTICE', 'Copyright of the authors\n');
  const { exitCode, stdout, stderr } = await build(config);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.not.stringContaining('Warning') });
  expect(stdout).toMatch(/^License +other: research-1 \(LICENSE\)$/m);

  const table = (await run('inspect')).stdout;
  expect(table).toMatch(/^License +other: research-1 \(LICENSE\), from the model card$/m);
  expect(table).toMatch(/^Based on +org\/base$/m);
  expect(table).toMatch(/^Languages +en, de$/m);
  expect(table).toMatch(/^Citation +@misc\{reviews, …$/m);
  const inspection = JSON.parse((await run('inspect', '--json')).stdout);
  expect(inspection.model).toMatchObject({
    license: { id: 'other', name: 'research-1', link: 'LICENSE', source: 'card' },
    card: { languages: ['en', 'de'], baseModels: ['org/base'], tags: ['sentiment'], citation: CITATION },
  });
  expect((await run('inspect', '--card')).stdout).toBe(CARD.trimEnd());
  expect((await runCli(['inspect', '--card', executable()])).stdout).toBe(CARD.trimEnd());

  // Readers that do not support these sections ignore the optional list, so the format version stays the same.
  const source = openFileSource(executable());
  const { formatVersion, sections } = readContainer(source);
  source.close();
  expect(formatVersion).toBe(1);
  expect(sections.slice(-2).map(({ name }) => name)).toEqual(['license', 'card']);
  // Binary data follows, which can contain a brace.
  const index = /\{"sections":.*?\]\}/.exec(
    readFileSync(executable()).subarray(-8192).toString('latin1'),
  )?.[0];
  const lists: Record<string, { name: string }[]> = JSON.parse(index ?? '');
  expect(lists['sections']?.map(({ name }) => name)).not.toContain('card');
  expect(lists['optional']?.map(({ name }) => name)).toEqual(['license', 'card']);
  expect((await run('verify')).stdout).toMatch(/^card +\S+ B {2}ok/m);

  const licenses = await run('--licenses');
  expect(licenses.exitCode).toBe(0);
  expect(licenses.stdout).toMatch(
    /\n={80}\n\nModel model 0\.1\.0 \(other: research-1 \(LICENSE\)\)\n\nLICENSE:\n\nResearch License\n\nFor research only\.\n\nNOTICE:\n\nCopyright of the authors\n\nBased on: org\/base\n\nCitation:\n\n@misc\{reviews,\n {2}title = \{Reviews\}\n\}$/,
  );
  expect(JSON.parse((await run('licenses', '--json')).stdout)).toMatchObject({
    program: 'encoder',
    model: {
      model: 'model',
      version: '0.1.0',
      license: { id: 'other' },
      text: expect.stringContaining('NOTICE:'),
      baseModels: ['org/base'],
      citation: CITATION,
    },
  });

  expect((await build(writeConfig(folder(), { license: 'mit' }))).exitCode).toBe(0);
  expect((await run('inspect')).stdout).toMatch(/^License +mit, from the build configuration$/m);
  write('README.md', '# No front matter\n');
  expect((await build(writeConfig(folder()))).exitCode).toBe(0);
  expect((await run('inspect')).stdout).toMatch(/^License +Research License, from a license file$/m);

  expect((await build(config, '--no-build')).exitCode).toBe(0);
  expect(readFileSync(join(folder(), 'model.assets/model-card.md'), 'utf8')).toBe('# No front matter\n');
  expect(readFileSync(join(folder(), 'model.assets/model-license.txt'), 'utf8')).toContain(
    'For research only',
  );
});

verifiesOnce('build:documents', async () => {
  const config = copyModel(folder());
  write('README.md', new Uint8Array([0, 1, 2]));
  write('LICENSE', 'x'.repeat(2_000_000));
  const { exitCode, stderr } = await build(config);
  expect(exitCode).toBe(0);
  expect(stderr).toContain('Warning: LICENSE is not included: it is larger than 1 MiB.\n');
  expect(stderr).toContain('Warning: README.md is not included: it is not UTF-8 text.\n');
  expect((await run('infer', 'I love this')).stdout).toContain('POSITIVE');
  expect(await run('inspect', '--card')).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: `Error: ${executable()} contains no model card. Put README.md next to config.json and build the model again.`,
  });
});

verifiesOnce('executable:model-license', async () => {
  const path = builtExecutable('sentiment');
  expect((await runProcess(path, ['inspect'])).stdout).toMatch(/^License +not stated$/m);
  const { stdout } = await runProcess(path, ['--licenses']);
  expect(stdout).toMatch(/\n={80}\n\nModel sentiment 1\.0\.0 \(license not stated\)$/);
});
