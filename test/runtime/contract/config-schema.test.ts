import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { CONFIG_FIELDS, CONFIG_SCHEMA, CONFIG_SCHEMA_ID } from '#contract/config-schema.ts';

/** As printed by `encoderfile schema` and parsed by an editor. */
const printed = JSON.parse(JSON.stringify(CONFIG_SCHEMA)) as Node;

interface Node {
  readonly $schema?: string;
  readonly $id?: string;
  readonly type?: string;
  readonly description?: string;
  /** False, or the schema of every member. */
  readonly additionalProperties?: boolean | Node;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly anyOf?: readonly Node[];
}

function nodes(node: Node): Node[] {
  return [
    node,
    ...[...Object.values(node.properties ?? {}), ...(node.anyOf ?? []), ...members(node)].flatMap((child) =>
      nodes(child),
    ),
  ];
}

const members = ({ additionalProperties }: Node): Node[] =>
  typeof additionalProperties === 'object' ? [additionalProperties] : [];

describe('the published schema', () => {
  test('is a draft-07 schema with an ID', () => {
    expect(printed).toMatchObject({
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: CONFIG_SCHEMA_ID,
    });
    expect(new Ajv({ strict: true }).validateSchema(printed)).toBe(true);
  });

  test('describes every field, and rejects unknown keys except in prompts', () => {
    const [root, ...inner] = nodes(printed);
    expect(inner.length).toBeGreaterThan(15);
    expect(inner.filter(({ description }) => description === undefined)).toEqual([]);
    const mappings = [root, ...inner].filter((node) => node?.type === 'object');
    const open = mappings.filter((node) => node?.additionalProperties !== false);
    // Users choose the names of prompts.
    expect(open.map((node) => node && members(node).map(({ type }) => type))).toEqual([['string']]);
  });

  test('limits names to 256 code points, and rejects control characters', () => {
    const check = new Ajv({ strict: true }).compile(printed);
    const named = (name: string): boolean =>
      check({ encoderfile: { name, path: '.', model_type: 'embedding' } });
    expect(named('🤗'.repeat(256))).toBe(true);
    expect(named('🤗'.repeat(257))).toBe(false);
    expect(named('org/имя модели 語')).toBe(true);
    for (const control of ['\u0000', '\n', '\u007F', '\u0085']) expect(named(`a${control}b`)).toBe(false);
  });

  test('contains exactly the config fields defined in the contract', () => {
    expect(CONFIG_FIELDS).toEqual([
      'name',
      'version',
      'license',
      'device',
      'path',
      'variant',
      'model_type',
      'output',
      'inputs',
      'max_length',
      'integer_weights',
      'quantize',
      'calibration',
      'min_cosine',
      'min_agreement',
      'tokenizer',
      'long_texts',
      'stride',
      'distill',
      'distill_dimensions',
      'min_neighbors',
      'pooling',
      'normalize',
      'dimensions',
      'similarity_fn_name',
      'prompts',
      'task',
      'default_prompt_name',
      'query_prefix',
      'document_prefix',
      'query_length',
      'document_length',
      'do_query_expansion',
      'attend_to_expansion_tokens',
      'skiplist_words',
      'threshold',
      'output_path',
      'cache_dir',
      'target',
      'base_binary_path',
      'transform',
      'validate_transform',
      'lua_libs',
      'transform_limits',
      'build',
    ]);
  });
});
