import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MODEL_TYPE_NAMES } from '#contract/model-types.ts';
import { parseConfig } from '#cli/config/load.ts';
import { renderConfig } from '#cli/config/render-template.ts';

const TEMPLATE = readFileSync(join(import.meta.dirname, '../../../templates/encoderfile.yml'), 'utf8');
const START = { name: 'sentiment', path: './model', modelType: 'embedding' } as const;

describe('renderConfig', () => {
  test('plain values are written without quotes', () => {
    const text = renderConfig(TEMPLATE, START);
    expect(text).toContain('\n  name: sentiment\n');
    expect(text).toContain('\n  path: ./model\n');
    expect(text).toContain('\n  model_type: embedding\n');
    expect(text).not.toContain('{{');
  });

  test.each([
    'a: b',
    'a #b',
    '# a',
    `it's "quoted"`,
    '- a',
    '42',
    'true',
    '~',
    'null',
    ' padded ',
    '{{path}}',
    '$& $1 $$',
    'модель 🤗 語',
    '*alias',
    '!tag',
    '[a]',
    'a\\b',
    '\u2028',
    'word '.repeat(50).trim(),
  ])('the name %j is preserved', (name) => {
    expect(parseConfig(renderConfig(TEMPLATE, { ...START, name }), 'x.yml', {}).name).toBe(name);
  });

  test.each(['./a: b', './# ${HOME}', '~', 'C:\\models\\a b', '/модели/語'])(
    'the folder %j is preserved',
    (path) => {
      const { model } = parseConfig(renderConfig(TEMPLATE, { ...START, path }), 'x.yml', {});
      expect(model).toMatchObject({ kind: 'folder', folder: path.replace(/^\.\//, '') });
    },
  );

  test('all model types are listed', () => {
    for (const type of MODEL_TYPE_NAMES) expect(TEMPLATE).toMatch(new RegExp(`\\b${type}\\b`));
  });

  test('the license is a commented-out example if the model has none', () => {
    expect(renderConfig(TEMPLATE, START)).toContain('\n  # license: apache-2.0\n');
    const text = renderConfig(TEMPLATE, { ...START, license: 'other: see #1' });
    expect(parseConfig(text, 'x.yml', {}).license).toBe('other: see #1');
  });

  test('all commented-out settings are valid', () => {
    // This type is used because some of the fields are not valid for any other type.
    const text = renderConfig(TEMPLATE, { ...START, modelType: 'sentence_embedding' })
      .replace(/^ {2}path: .*\n/m, '')
      // This setting is valid for folders only.
      .replace(/^ {2}# variant: .*\n/m, '')
      .replaceAll(/^ {2}# ( *[a-z_]+:|  .*)/gm, '  $1');
    const config = parseConfig(text, 'x.yml', { HOME: '/home/ada' });
    expect(config).toMatchObject({
      model: { kind: 'files', tokenizerConfig: 'tokenizer_config.json' },
      license: 'apache-2.0',
      outputPath: './model.encoder',
      cacheDir: '/home/ada/.cache/encoderfile',
      target: 'linux-arm64',
      baseBinaryPath: 'other.encoder',
      transform: { source: 'function Postprocess(output)\n  return output:softmax(2)\nend\n' },
      validateTransform: true,
      build: true,
      typeFields: {
        pooling: 'mean',
        normalize: true,
        dimensions: 256,
        prompts: { query: 'query: ', passage: 'passage: ' },
        default_prompt_name: 'query',
      },
    });
  });

  test('a placeholder without a value is an internal error', () => {
    expect(() => renderConfig("a: '{{nobody}}'", START)).toThrow("Unknown placeholder '{{nobody}}'");
  });
});
