import { expect, test } from 'vitest';
import { loadTokenizer } from '#cli/adapters/tokenizers.ts';
import {
  type SourceTokenizer,
  type TokenizerConfig,
  withEndToken,
} from '#cli/packaging/model/tokenizer-settings.ts';

const VOCABULARY = { '<unk>': 0, '<s>': 1, '</s>': 2, hello: 3, world: 4 };
const START = { SpecialToken: { id: '<s>', type_id: 0 } };
const A = { Sequence: { id: 'A', type_id: 0 } };
const B = { Sequence: { id: 'B', type_id: 1 } };

const WORDS = { type: 'WordLevel', unk_token: '<unk>', vocab: VOCABULARY };
const SPLIT = { pre_tokenizer: { type: 'Whitespace' } };

/** A tokenizer as Llama models have it, without an end token. */
const JSON_FILE: SourceTokenizer = {
  ...SPLIT,
  model: WORDS,
  post_processor: {
    type: 'TemplateProcessing',
    single: [START, A],
    pair: [START, A, { SpecialToken: { id: '<s>', type_id: 1 } }, B],
    special_tokens: { '<s>': { id: '<s>', ids: [1], tokens: ['<s>'] } },
  },
};
const CONFIG: TokenizerConfig = { tokenizer_class: 'LlamaTokenizer', add_eos_token: true, eos_token: '</s>' };

const idOf = (token: string): number | undefined => (VOCABULARY as Record<string, number>)[token];
const idsOf = async (json: SourceTokenizer, text: string): Promise<number[]> =>
  (await (await loadTokenizer(JSON.stringify(json))).encode([text]))[0] ?? [];

test('a text of a model with add_eos_token ends with this token, as in transformers 4', async () => {
  expect(await idsOf(JSON_FILE, 'hello world')).toEqual([1, 3, 4]);
  const json = withEndToken(JSON_FILE, CONFIG, idOf);
  expect(await idsOf(json, 'hello world')).toEqual([1, 3, 4, 2]);
  expect(await idsOf(json, '')).toEqual([1, 2]);
  const pieces = json.post_processor?.pair?.map((piece) => Object.values(piece)[0].id as string);
  expect(pieces?.join(' ')).toBe('<s> A </s> <s> B </s>');
});

const QWEN_CODE = {
  AutoTokenizer: ['tokenization_qwen.Qwen2Tokenizer', 'tokenization_qwen.Qwen2TokenizerFast'],
};

test.each([undefined, null, { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false }])(
  'the code of gte-Qwen2 also adds the token after a post-processor %j, which adds no tokens',
  async (post_processor) => {
    const config = { ...CONFIG, tokenizer_class: 'Qwen2Tokenizer', auto_map: QWEN_CODE };
    const { post_processor: _, ...plain } = JSON_FILE;
    const json: SourceTokenizer = post_processor === undefined ? plain : { ...plain, post_processor };
    const ended = withEndToken(json, config, idOf);
    expect(await idsOf(ended, 'hello world')).toEqual([3, 4, 2]);
    const pieces = ended.post_processor?.pair?.map((piece) => Object.values(piece)[0].id as string);
    expect(pieces?.join(' ')).toBe('A </s> B </s>');
    expect(withEndToken(json, { ...config, auto_map: undefined }, idOf)).toBe(json);
    expect(withEndToken(json, { ...config, add_eos_token: false }, idOf)).toBe(json);
  },
);

test.each<[name: string, config: TokenizerConfig]>([
  ['the setting is missing', { ...CONFIG, add_eos_token: undefined }],
  ['the setting is false', { ...CONFIG, add_eos_token: false }],
  ['the class ignores the setting', { ...CONFIG, tokenizer_class: 'Qwen2TokenizerFast' }],
  ['the vocabulary lacks the token', { ...CONFIG, eos_token: '<end>' }],
])('a tokenizer is unchanged if %s', (_name, config) => {
  expect(withEndToken(JSON_FILE, config, idOf)).toBe(JSON_FILE);
});

test('a tokenizer that already adds the token is unchanged', () => {
  const json = withEndToken(JSON_FILE, CONFIG, idOf);
  expect(withEndToken(json, CONFIG, idOf)).toBe(json);
});
