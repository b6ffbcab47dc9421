import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '#cli/config/load.ts';
import { AppError } from '#contract/errors.ts';

const FIXTURES = join(import.meta.dirname, '../../../fixtures/configs');
const ENV = { HOME: '/home/ada', MODELS: '/models', OUT: '/out', EMPTY: '' };
const read = (name: string): string => readFileSync(join(FIXTURES, name), 'utf8');
const load = (name: string) => parseConfig(read(`valid/${name}.yml`), 'configs/x.yml', ENV);
const names = (folder: string): string[] =>
  readdirSync(join(FIXTURES, folder)).filter((name) => name.endsWith('.yml'));

function problemsOf(text: string): string {
  try {
    parseConfig(text, 'FILE', ENV);
  } catch (error) {
    if (error instanceof AppError && error.code === 'ConfigError') return error.message;
    throw error;
  }
  return '';
}

describe('a broken config', () => {
  const invalid = names('invalid');

  test('the fixtures exist', () => {
    expect(invalid.length).toBeGreaterThan(30);
    expect(names('valid').length).toBeGreaterThan(5);
  });

  test.each(invalid)('%s is reported with its problem and position', (name) => {
    const expected = read(`invalid/${name.replace('.yml', '.expected.txt')}`);
    expect(`${problemsOf(read(`invalid/${name}`))}\n`).toBe(expected);
  });

  test('a damaged config file causes errors that each have a position', () => {
    const text = read('valid/folder-with-everything.yml');
    let refused = 0;
    for (const junk of [
      '',
      '\t',
      '"',
      ': ',
      '[',
      '{',
      '*a',
      '&a ',
      '- ',
      '\n',
      '\u0000',
      '|',
      '${',
      '? ',
      '!!map ',
      '#',
    ]) {
      for (let at = 0; at <= text.length; at += 11) {
        const problems = problemsOf(text.slice(0, at) + junk + text.slice(at + 3));
        if (problems === '') continue;
        refused += 1;
        for (const line of problems.split('\n')) expect(line).toMatch(/^FILE:[1-9]\d*:[1-9]\d* {2}\S/);
      }
    }
    expect(refused).toBeGreaterThan(300);
  });

  test('the errors shown in docs/config.md match the actual errors', () => {
    const docs = readFileSync(join(import.meta.dirname, '../../../docs/config.md'), 'utf8');
    const [, file = '', printed] =
      /this file\n\n```yaml\n(.+?)```\n\nproduces these errors:\n\n```text\n(.+?)\n```/s.exec(docs) ?? [];
    expect(problemsOf(file).replaceAll('FILE', 'encoderfile.yml')).toBe(printed);
  });

  test('a value that is nested too deeply, or that contains itself, is rejected', () => {
    expect(problemsOf('['.repeat(100_000))).toMatch(/^FILE:1:\d+ {2}nested too deeply$/);
    expect(problemsOf('encoderfile: &a {name: *a}')).toContain('`*a` refers to a value that contains it');
  });
});

describe('a valid config', () => {
  test('a minimal config gets all defaults', () => {
    expect(load('minimal')).toEqual({
      file: 'configs/x.yml',
      name: 'sentiment',
      version: '0.1.0',
      modelType: 'sequence_classification',
      model: { kind: 'folder', folder: join('configs', 'model') },
      outputPath: undefined,
      cacheDir: undefined,
      transform: undefined,
      validateTransform: true,
      luaLibs: [],
      transformLimits: { instructions: 100_000_000, memory_mb: 256, seconds: 10 },
      build: true,
      inputs: {},
      keepsIntegers: true,
      distill: { form: 'none', dimensions: 256, minNeighbors: 0.3 },
      quantize: { form: 'none', minCosine: 0.995, minAgreement: 0.98 },
      tokenizer: {},
      typeFields: {},
    });
  });

  test('every field is read, expanded and resolved', () => {
    expect(load('folder-with-everything')).toEqual({
      file: 'configs/x.yml',
      name: 'Ада/sentiment: v2 #1',
      version: '2.0',
      license: 'Research use only: see LICENSE',
      modelType: 'sequence_classification',
      model: { kind: 'folder', folder: '/home/ada/models/sentiment' },
      outputPath: '/out/sentiment.encoder',
      cacheDir: 'cache',
      transform: {
        kind: 'inline',
        source: 'function Postprocess(output)\n  return output:softmax(2)\nend\n',
        line: 11,
      },
      validateTransform: false,
      luaLibs: ['os', 'utf8'],
      // Omitted fields have their default values.
      transformLimits: { instructions: 100_000_000, memory_mb: 64, seconds: 0.5 },
      build: false,
      maxLength: 64,
      inputs: {},
      keepsIntegers: true,
      distill: { form: 'none', dimensions: 256, minNeighbors: 0.3 },
      quantize: {
        form: 'auto',
        calibration: join('configs', 'texts.txt'),
        minCosine: 0.995,
        minAgreement: 0.9,
      },
      tokenizer: {
        max_length: 64,
        truncation_side: 'left',
        truncation_strategy: 'longest_first',
        stride: 0,
        pad_strategy: { fixed: 64 },
      },
      typeFields: {},
    });
  });

  test('explicitly listed files are resolved individually', () => {
    const { model, transform } = load('files');
    expect(model).toEqual({
      kind: 'files',
      modelConfig: '/models/ner/config.json',
      weights: '/data/ner.onnx',
      tokenizer: join('tokenizers', 'ner.json'),
      tokenizerConfig: undefined,
    });
    expect(transform).toEqual({ kind: 'file', path: join('configs', 'postprocess.lua') });
    expect(load('files-with-tokenizer-config').model).toMatchObject({
      tokenizerConfig: join('configs', 'tokenizer_config.json'),
    });
  });

  test('pooling settings are read, and prompts are not expanded', () => {
    expect(load('sentence').typeFields).toEqual({
      pooling: 'cls',
      normalize: true,
      dimensions: 256,
      prompts: {
        query: 'query: ${NOT_A_VARIABLE}',
        passage: '',
        'of two lines': 'Instruct: find the answer\nQuery:\n',
      },
      default_prompt_name: 'query',
    });
    expect(load('minimal').typeFields).toEqual({});
  });

  test('variables and ~ are expanded only in paths, and escaped characters are taken literally', () => {
    const config = load('escapes');
    expect(config.name).toBe('${NAME} and ~ stay in a name');
    expect(config.model).toEqual({ kind: 'folder', folder: join('configs', '${MODELS}/$HOME/~/x') });
    expect(config.outputPath).toBe('/home/ada');
  });

  test('a YAML alias is replaced with its value', () => {
    expect(load('aliases')).toMatchObject({
      name: 'embedder',
      model: { folder: join('configs', 'embedder') },
    });
  });

  test('a byte order mark and Windows line endings are ignored', () => {
    expect(load('windows-line-ends')).toMatchObject({
      name: 'windows',
      transform: { source: '-- first\nfunction Postprocess(x) return x end\n', line: 6 },
    });
  });

  test('an absolute config path results in absolute paths, regardless of the current directory', () => {
    const { model } = parseConfig(read('valid/minimal.yml'), '/etc/models/encoderfile.yml', {});
    expect(model).toEqual({ kind: 'folder', folder: join('/etc/models', 'model') });
  });

  test('an unset HOME causes an error only where it is needed', () => {
    expect(parseConfig(read('valid/minimal.yml'), 'x.yml', {}).name).toBe('sentiment');
    expect(() => parseConfig(read('valid/escapes.yml'), 'FILE', { MODELS: '/m' })).toThrow(
      'FILE:5:16  encoderfile.output_path: `~` cannot be expanded: HOME is not set',
    );
  });
});
