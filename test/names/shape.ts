/** A published model and the recipe for a folder of its shape, which `write_folders.py` reads. */
export interface NamedModel {
  /** The name on the Hugging Face Hub. */
  readonly name: string;
  /** What the numbers are: a key of TASKS in write_folders.py. */
  readonly task: string;
  /** Other fields of the recipe: the base, the tokenizer, keys of config.json, modules. */
  readonly [field: string]: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** The prompt for queries of bge, arctic and mxbai. */
export const SEARCH = 'Represent this sentence for searching relevant passages: ';
export const xlmr = { base: 'xlm-roberta', tokenizer: 'xlm-roberta' };

/** A model with the files of sentence-transformers. `own` means that its code is not part of transformers. */
export function sentence(name: string, { own, architecture, config, ...fields }: Fields): NamedModel {
  return {
    name,
    task: 'sentence',
    base: 'bert',
    tokenizer: 'bert',
    ...fields,
    ...(own === true ? { reference: 'own-sentence' } : {}),
    config: { ...(architecture === undefined ? {} : { architectures: [architecture] }), ...Object(config) },
  };
}

/** A model without the files of sentence-transformers. */
export const bare = (name: string, task: string, fields: Fields = {}): NamedModel => ({
  name,
  task,
  bare: true,
  base: 'bert',
  tokenizer: 'bert',
  ...fields,
});
