import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCard } from '#cli/packaging/model/read-card.ts';

const card = (frontMatter: string): string => `---\n${frontMatter}\n---\n\n# A model\n`;
const NOTHING = { license: undefined, facts: undefined, invalid: [] };

describe('the front matter of a model card', () => {
  test('license, languages, base models and tags are read', () => {
    const text = card(
      [
        'language:',
        '- en',
        '- de',
        'license: other',
        'license_name: llama3',
        'license_link: https://example.com/LICENSE',
        'tags: [sentiment, "a: b"]',
        'base_model: org/base',
        'datasets:',
        '- private',
      ].join('\n'),
    );
    expect(readCard(text)).toEqual({
      license: { id: 'other', name: 'llama3', link: 'https://example.com/LICENSE' },
      facts: { languages: ['en', 'de'], baseModels: ['org/base'], tags: ['sentiment', 'a: b'] },
      invalid: [],
    });
  });

  test('several licenses are joined', () => {
    expect(readCard(card('license:\n  - mit\n  - apache-2.0')).license).toEqual({ id: 'mit, apache-2.0' });
  });

  test('a byte order mark, Windows line endings and a missing last line break are accepted', () => {
    const text = '\uFEFF---\r\nlicense: mit # as agreed\r\ntags:\r\n  - x\r\n---';
    expect(readCard(text)).toMatchObject({ license: { id: 'mit' }, facts: { tags: ['x'] } });
  });

  test.each([
    ['no front matter', '# A model\n\nlicense: mit\n'],
    ['an empty file', ''],
    ['unterminated front matter', '---\nlicense: mit\n'],
    ['front matter that is not at the start', '# A model\n---\nlicense: mit\n---\n'],
    ['empty front matter', '---\n---\nlicense: mit\n'],
    ['front matter with only other fields', card('library_name: x\nlicense_details: mit')],
    ['a license inside another field', card('model-index:\n  license: mit')],
    ['values of other types', card('license: 42\nlanguage: {a: b}\ntags: [1, null, true]\nbase_model:')],
    ['a license without text', card('license: "  "')],
  ])('%s contains no information', (_, text) => {
    expect(readCard(text)).toEqual(NOTHING);
  });

  test('an invalid field does not hide the others', () => {
    const text = card('license: mit\nlanguage: [en\ntags: *missing\nmodel-index: {{{');
    expect(readCard(text)).toEqual({
      license: { id: 'mit' },
      facts: undefined,
      invalid: ['language', 'tags'],
    });
  });

  test('strings are limited to one line, and lists to a maximum length', () => {
    const text = card(`license: "a\\e[31m\\nb${'x'.repeat(500)}"\ntags: [${'t, '.repeat(1000)}]`);
    const { license, facts } = readCard(text);
    expect(license?.id).toMatch(/^a \[31m bx+…$/);
    expect(license?.id).toHaveLength(256);
    expect(facts?.tags).toHaveLength(200);
  });

  test.each([
    ['that is repeated', 'license: mit\nlicense: mit'],
    ['that is repeated after other fields', 'license: mit\nlanguage: en\nlicense: apache-2.0'],
    ['that is repeated many times', 'license: a\n'.repeat(4000)],
    ['that is too long', `license:\n${'- mit\n'.repeat(4000)}`],
    ['that is too long and repeated', `license:\n${'- mit\n'.repeat(4000)}license: mit`],
  ])('a field %s is invalid', (_, text) => {
    const { license, facts, invalid } = readCard(card(`tags: x\n${text}`));
    expect({ license, invalid }).toEqual({ license: undefined, invalid: ['license'] });
    expect(facts?.tags).toEqual(['x']);
  });

  test('any text is parsed without an exception', () => {
    const pieces = constantFrom(
      ...'license: |language:|tags:|\n|- |[|]|{|}|"|*a|&a |---|mit|: |#|!x |? '.split('|'),
    );
    assert(
      property(array(pieces), (parts) => {
        const { license } = readCard(`---\n${parts.join('')}\n---\n`);
        expect(license === undefined || license.id.trim() !== '').toBe(true);
      }),
    );
  });
});
