import { expect, test } from 'vitest';
import { withBertSettings } from '#cli/packaging/model/tokenizer-settings.ts';

const json = { normalizer: { type: 'BertNormalizer', lowercase: true, strip_accents: null } };
const BERT = { model_type: 'bert' };

test('settings of a BERT tokenizer take precedence over tokenizer.json', () => {
  const config = { do_lower_case: false, strip_accents: false, tokenize_chinese_chars: false };
  expect(withBertSettings(json, config, BERT).normalizer).toEqual({
    type: 'BertNormalizer',
    lowercase: false,
    strip_accents: false,
    handle_chinese_chars: false,
  });
  const mpnet = { ...config, tokenizer_class: 'MPNetTokenizerFast' };
  expect(withBertSettings(json, mpnet, BERT).normalizer).toEqual({
    type: 'BertNormalizer',
    lowercase: false,
    strip_accents: false,
  });
});

test('a missing setting has no effect', () => {
  expect(withBertSettings(json, {}, BERT)).toEqual(json);
});

test('tokenizer classes that ignore the settings leave tokenizer.json unchanged', () => {
  for (const tokenizer_class of ['PreTrainedTokenizerFast', 'RobertaTokenizer', 'AlbertTokenizer']) {
    expect(withBertSettings(json, { tokenizer_class, do_lower_case: false }, BERT)).toBe(json);
  }
  const sequence = { normalizer: { type: 'Sequence', normalizers: [json.normalizer] } };
  expect(withBertSettings(sequence, { do_lower_case: false }, BERT)).toBe(sequence);
});
