/** The tokenizer.json of models in `fixtures/architectures`, which have 50 tokens: its words are IDs, `t7 t21`. */
export const WORDS_OF_IDS = {
  version: '1.0',
  added_tokens: [],
  pre_tokenizer: { type: 'WhitespaceSplit' },
  model: {
    type: 'WordLevel',
    unk_token: 't0',
    vocab: Object.fromEntries(Array.from({ length: 50 }, (_, id) => [`t${id}`, id])),
  },
};
