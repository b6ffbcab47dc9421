import { SPECIAL_TOKENS, type Vocabulary } from './vocabulary.ts';

/** tokenizer.json of a BERT model: lowercase, split at spaces and punctuation, WordPiece, [CLS] text [SEP]. */
export function tokenizerJson({ pieces }: Vocabulary): object {
  const special = (id: '[CLS]' | '[SEP]', type_id: number): object => ({ SpecialToken: { id, type_id } });
  const sequence = (id: 'A' | 'B', type_id: number): object => ({ Sequence: { id, type_id } });
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: Object.entries(SPECIAL_TOKENS).map(([content, id]) => ({ id, ...addedToken(content) })),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [special('[CLS]', 0), sequence('A', 0), special('[SEP]', 0)],
      pair: [
        special('[CLS]', 0),
        sequence('A', 0),
        special('[SEP]', 0),
        sequence('B', 1),
        special('[SEP]', 1),
      ],
      special_tokens: Object.fromEntries(
        (['[CLS]', '[SEP]'] as const).map((id) => [id, { id, ids: [SPECIAL_TOKENS[id]], tokens: [id] }]),
      ),
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(pieces.map((piece, id) => [piece, id])),
    },
  };
}

export function tokenizerConfig(maxLength: number): object {
  return {
    added_tokens_decoder: Object.fromEntries(
      Object.entries(SPECIAL_TOKENS).map(([content, id]) => [id, addedToken(content)]),
    ),
    clean_up_tokenization_spaces: true,
    cls_token: '[CLS]',
    do_lower_case: true,
    mask_token: '[MASK]',
    model_max_length: maxLength,
    pad_token: '[PAD]',
    sep_token: '[SEP]',
    strip_accents: null,
    tokenize_chinese_chars: true,
    tokenizer_class: 'BertTokenizer',
    unk_token: '[UNK]',
  };
}

const addedToken = (content: string): object => ({
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special: true,
});
