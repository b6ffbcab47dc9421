import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../helpers/paths.ts';
import { findWords } from './plain-words.ts';
import { sentencesOf } from './sentences.ts';

/** Folders whose messages, help texts and API descriptions are checked. */
const ROOTS = [
  'cli',
  'runtime/contract',
  'runtime/core',
  'runtime/platform',
  'runtime/serve',
  'runtime/targets/encoder',
  'runtime/targets/gateway',
  'runtime/targets/manager',
  'runtime/transform',
];

/** Texts for a model instead of a person: judge instructions, which affect results, and examples. */
const FOR_MODELS = new Set([
  'runtime/targets/gateway/evaluation/metrics/text/judge.ts',
  'runtime/targets/encoder/http/page/browser/label-examples.ts',
]);

/** A text without the code that it quotes. */
const proseOf = (text: string): string => text.replaceAll(/`[^`\n]*`/g, 'code');

/** Texts between the HTML tags of a page. */
const textsOfHtml = (html: string): string[] =>
  html
    .replaceAll(/<(script|style)\b[^]*?<\/\1>/g, '')
    .split(/<[^>]*>/)
    .filter((text) => text.trim() !== '');

function findingsIn(file: string): string[] {
  const source = readFileSync(join(ROOT, file), 'utf8');
  const texts = file.endsWith('.html') ? textsOfHtml(source) : sentencesOf(source);
  return texts.flatMap((text) =>
    findWords(proseOf(text)).map(
      ({ found, instead }) =>
        `${file}: "${found}" in ${JSON.stringify(text.slice(0, 200))}; write ${instead}`,
    ),
  );
}

describe('messages use standard terms', () => {
  test.each(ROOTS)('in %s', (root) => {
    const files = globSync(`${root}/**/*.{ts,js,html}`, { cwd: ROOT })
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => !FOR_MODELS.has(file));
    expect(files.length).toBeGreaterThan(0);
    expect(files.sort().flatMap(findingsIn)).toEqual([]);
  });
});

test('strings and templates are searched, and names are not', () => {
  const source = `
    import x from 'not a text';
    // 'in a comment'
    type T = 'in a type';
    const name = 'word';
    fail('a message');
    fail(\`the key \${name} is \${x ? 'not there' : 'invalid'}.\`);
  `;
  expect(sentencesOf(source)).toEqual(['a message', 'the key … is ….', 'not there']);
});
