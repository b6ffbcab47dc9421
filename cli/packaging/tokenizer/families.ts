import {
  type ByteLevelFamily,
  type Family,
  type SentencePieceFamily,
  type SpecialTokens,
  type Template,
  type WordPieceFamily,
  addedToken,
} from './family.ts';

const BERT_TOKENS: SpecialTokens = {
  unk: '[UNK]',
  sep: '[SEP]',
  pad: '[PAD]',
  cls: '[CLS]',
  mask: '[MASK]',
};
const BERT_TEMPLATE: Template = {
  single: '@cls:0 $A:0 @sep:0',
  pair: '@cls:0 $A:0 @sep:0 $B:1 @sep:1',
};
/** Families whose special tokens have fixed names. */
const NAMED_TEMPLATE: Template = {
  single: '[CLS]:0 $A:0 [SEP]:0',
  pair: '[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1',
};
const ROBERTA_TEMPLATE: Template = {
  single: '@cls:0 $A:0 @sep:0',
  pair: '@cls:0 $A:0 @sep:0 @sep:0 $B:0 @sep:0',
};
const FAIRSEQ_TEMPLATE: Template = {
  single: '<s>:0 $A:0 </s>:0',
  pair: '<s>:0 $A:0 </s>:0 </s>:0 $B:0 </s>:0',
};

const special = (content: string) => addedToken(content, { special: true });
const searched = (content: string) => addedToken(content, { normalized: true });
const mask = (content: string, normalized = false) => addedToken(content, { lstrip: true, normalized });

const FAIRSEQ_TOKENS: SpecialTokens = {
  bos: '<s>',
  eos: '</s>',
  unk: '<unk>',
  sep: '</s>',
  cls: '<s>',
  pad: '<pad>',
  mask: mask('<mask>'),
};
const robertaTokens = (masked: boolean): SpecialTokens => ({
  bos: searched('<s>'),
  eos: searched('</s>'),
  unk: searched('<unk>'),
  sep: searched('</s>'),
  cls: searched('<s>'),
  pad: searched('<pad>'),
  mask: mask('<mask>', masked),
});

const wordPiece = (name: string, other: Partial<WordPieceFamily> = {}): WordPieceFamily => ({
  kind: 'wordpiece',
  name,
  special: BERT_TOKENS,
  template: BERT_TEMPLATE,
  ...other,
});

const byteLevel = (name: string, other: Partial<ByteLevelFamily> = {}): ByteLevelFamily => ({
  kind: 'byte-level',
  name,
  special: robertaTokens(false),
  template: ROBERTA_TEMPLATE,
  trimsOffsets: true,
  ...other,
});

const sentencePiece = (
  name: string,
  file: string,
  other: Partial<SentencePieceFamily> & Pick<SentencePieceFamily, 'special' | 'template'>,
): SentencePieceFamily => ({
  kind: 'sentencepiece',
  name,
  file,
  ids: 'plain',
  normalizer: 'model',
  lowerCase: false,
  keepAccents: true,
  splitsDigitComma: false,
  splitsAtPunctuation: false,
  ...other,
});

const BERT_LIKE = [
  'Bert',
  'DistilBert',
  'Electra',
  'MobileBert',
  'ConvBert',
  'SqueezeBert',
  'LayoutLM',
  'Lxmert',
  'RetriBert',
  'Realm',
  'DPRQuestionEncoder',
  'DPRContextEncoder',
  'DPRReader',
];

/**
 * All tokenizer families that can be converted. The values are the defaults of the tokenizer
 * classes in transformers 4.57.
 */
export const FAMILIES: readonly Family[] = [
  ...BERT_LIKE.map((name) => wordPiece(name)),
  wordPiece('Funnel', {
    special: {
      unk: '<unk>',
      sep: '<sep>',
      pad: '<pad>',
      cls: '<cls>',
      mask: '<mask>',
      bos: '<s>',
      eos: '</s>',
    },
    template: { single: '@cls:2 $A:0 @sep:0', pair: '@cls:2 $A:0 @sep:0 $B:1 @sep:1' },
  }),
  wordPiece('MPNet', {
    special: {
      bos: special('<s>'),
      eos: special('</s>'),
      unk: special('[UNK]'),
      sep: special('</s>'),
      cls: special('<s>'),
      pad: special('<pad>'),
      mask: mask('<mask>'),
    },
    template: { single: '@cls:0 $A:0 @sep:0', pair: '@cls:0 $A:0 @sep:0 @sep:0 $B:1 @sep:1' },
  }),
  wordPiece('Esm', {
    special: { unk: '<unk>', cls: '<cls>', pad: '<pad>', mask: '<mask>', eos: '<eos>' },
    template: { single: '@cls:0 $A:0 @eos:0', pair: '@cls:0 $A:0 @eos:0 $B:0 @eos:0' },
    hasWholeTokens: true,
  }),
  ...['Roberta', 'Longformer'].map((name) => byteLevel(name)),
  ...['Bart', 'LED'].map((name) => byteLevel(name, { special: robertaTokens(true) })),
  byteLevel('Deberta', {
    special: {
      bos: special('[CLS]'),
      eos: special('[SEP]'),
      unk: special('[UNK]'),
      sep: special('[SEP]'),
      cls: special('[CLS]'),
      pad: special('[PAD]'),
      mask: mask('[MASK]', true),
    },
    template: NAMED_TEMPLATE,
    trimsOffsets: false,
  }),
  sentencePiece('XLMRoberta', 'sentencepiece.bpe.model', {
    ids: 'fairseq',
    unknownId: 3,
    special: FAIRSEQ_TOKENS,
    template: FAIRSEQ_TEMPLATE,
  }),
  sentencePiece('Camembert', 'sentencepiece.bpe.model', {
    ids: 'camembert',
    unknownId: 3,
    special: FAIRSEQ_TOKENS,
    additional: ['<s>NOTUSED', '</s>NOTUSED', '<unk>NOTUSED'],
    template: FAIRSEQ_TEMPLATE,
  }),
  sentencePiece('Albert', 'spiece.model', {
    normalizer: 'quotes',
    lowerCase: true,
    keepAccents: false,
    splitsDigitComma: true,
    special: {
      bos: '[CLS]',
      eos: '[SEP]',
      unk: '<unk>',
      sep: '[SEP]',
      pad: '<pad>',
      cls: '[CLS]',
      mask: mask('[MASK]'),
    },
    template: NAMED_TEMPLATE,
  }),
  sentencePiece('FNet', 'spiece.model', {
    normalizer: 'quotes',
    splitsDigitComma: true,
    special: {
      unk: '<unk>',
      sep: special('[SEP]'),
      pad: '<pad>',
      cls: special('[CLS]'),
      mask: mask('[MASK]'),
    },
    template: NAMED_TEMPLATE,
  }),
  sentencePiece('DebertaV2', 'spm.model', {
    normalizer: 'lower-case',
    splitsAtPunctuation: true,
    special: {
      ...BERT_TOKENS,
      bos: '[CLS]',
      eos: '[SEP]',
      unk: addedToken('[UNK]', { special: true, normalized: true }),
    },
    template: NAMED_TEMPLATE,
  }),
  ...['T5', 'MT5'].map((name) =>
    sentencePiece(name, 'spiece.model', {
      ids: 'extra',
      special: { eos: special('</s>'), unk: special('<unk>'), pad: special('<pad>') },
      template: { single: '$A:0 </s>:0', pair: '$A:0 </s>:0 $B:0 </s>:0' },
    }),
  ),
  sentencePiece('Siglip', 'spiece.model', {
    normalizer: 'captions',
    lowerCase: true,
    special: { eos: special('</s>'), unk: special('<unk>'), pad: special('</s>') },
    template: { single: '$A:0 </s>:0', pair: '$A:0 </s>:0 $B:0 </s>:0' },
  }),
  sentencePiece('BigBird', 'spiece.model', {
    special: {
      bos: searched('<s>'),
      eos: searched('</s>'),
      unk: searched('<unk>'),
      pad: searched('<pad>'),
      sep: searched('[SEP]'),
      cls: searched('[CLS]'),
      mask: mask('[MASK]', true),
    },
    template: NAMED_TEMPLATE,
  }),
  sentencePiece('RemBert', 'sentencepiece.model', {
    normalizer: 'lower-case',
    special: { ...BERT_TOKENS, bos: '[CLS]', eos: '[SEP]', mask: mask('[MASK]', true) },
    template: NAMED_TEMPLATE,
  }),
  sentencePiece('XLNet', 'spiece.model', {
    normalizer: 'quotes',
    keepAccents: false,
    splitsDigitComma: true,
    special: { ...FAIRSEQ_TOKENS, sep: '<sep>', cls: '<cls>' },
    additional: ['<eop>', '<eod>'],
    template: { single: '$A:0 <sep>:0 <cls>:2', pair: '$A:0 <sep>:0 $B:1 <sep>:1 <cls>:2' },
  }),
];
