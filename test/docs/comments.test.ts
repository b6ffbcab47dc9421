import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../helpers/paths.ts';
import { findWordsInComment } from './plain-words.ts';

/** Folders whose comments, test names and behaviors are checked. */
const FOLDERS = ['cli', 'runtime', 'site', 'proto', 'templates', 'fixtures', 'test', '.ci'];
const SOURCES = /\.(?:ts|js|mjs|vue|css|proto|lua)$/;
const SCRIPTS = /\.(?:py|sh|ya?ml)$/;
/** Generated files, and files that quote the words. */
const SKIPPED =
  /^(?:runtime\/gen\/|test\/docs\/(?:plain-words|words\.test|strings\.test|comments\.test)\.ts$)/;

const COMMENT = /^\s*(?:\/\/|\/?\*\*?|<!--)\s?(.*?)(?:\s*\*\/)?$|\s\/\/ (.*)$/;
const SCRIPT_COMMENT = /^\s*# ?(.*)$/;
const NAME =
  /\b(?:test|it|describe|behavior)\b[^'`]*?(?:\(|: )(['`])((?:(?!\1).)+)\1|^\]?\)*\((['`])((?:(?!\3).)+)\3/;

/** The comment, test name or behavior in a line. */
function textIn(file: string, line: string): string | undefined {
  const [, own, after] = (SCRIPTS.test(file) ? SCRIPT_COMMENT : COMMENT).exec(line) ?? [];
  if (own !== undefined || after !== undefined) return own ?? after;
  if (!file.startsWith('test/')) return undefined;
  const [, , name, , each] = NAME.exec(line) ?? [];
  return name ?? each;
}

function findingsIn(file: string): string[] {
  const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    const text = textIn(file, line)?.replaceAll(/`[^`]*`|\$\{[^}]*\}|https?:\S+/g, 'code') ?? '';
    return findWordsInComment(text).map(
      ({ found, instead }) => `${file}:${index + 1}: "${found}"; write ${instead}`,
    );
  });
}

const files = globSync(
  FOLDERS.map((folder) => `${folder}/**/*`),
  { cwd: ROOT, exclude: ['**/node_modules', 'site/dist', 'site/.pages'] },
)
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => (SOURCES.test(file) || SCRIPTS.test(file)) && !SKIPPED.test(file));

describe('comments and test names use standard terms', () => {
  test.each(FOLDERS)('in %s', (folder) => {
    expect(files.filter((file) => file.startsWith(`${folder}/`)).flatMap(findingsIn)).toEqual([]);
  });
});

test('only comments and test names are searched', () => {
  const texts = [
    ['a.ts', '  // one', 'one'],
    ['a.ts', '/** two */', 'two'],
    ['a.ts', ' * three', 'three'],
    ['a.ts', 'const x = 1; // four', 'four'],
    ['a.py', '# five', 'five'],
    ['test/a.ts', "test('six', () => {", 'six'],
    ['test/a.ts', "  test.each(KINDS)('seven of %s', (kind) =>", 'seven of %s'],
    ['test/a.ts', "])('eight: %j', async (sent) => {", 'eight: %j'],
    ['test/a.ts', "    behavior: 'nine',", 'nine'],
    ['test/a.ts', "expect(message).toBe('no name');", undefined],
    ['a.ts', "describe('no test');", undefined],
  ] as const;
  for (const [file, line, text] of texts) expect(textIn(file, line), line).toBe(text);
});
