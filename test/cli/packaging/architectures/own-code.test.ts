import { expect, test } from 'vitest';
import { foreignClass } from '#cli/packaging/architectures/own-code.ts';

test.each<[string, Record<string, unknown> | undefined]>([
  ['bert', undefined],
  ['bert', { AutoConfig: 'configuration_distant.DistantConfig' }],
  ['bert', { AutoModel: 'jinaai/jina-bert-implementation--modeling_bert.JinaBertModel' }],
  ['new', { AutoModel: 'Alibaba-NLP/new-impl--modeling.NewModel' }],
  ['nomic_bert', { AutoModel: 'nomic-ai/nomic-bert-2048--modeling_hf_nomic_bert.NomicBertModel' }],
  ['xlm-roberta', { AutoModel: 'jinaai/xlm-roberta-flash-implementation--modeling_lora.XLMRobertaLoRA' }],
  [
    'qwen2',
    { AutoModel: 'modeling_qwen.Qwen2Model', AutoModelForCausalLM: 'modeling_qwen.Qwen2ForCausalLM' },
  ],
])('classes that belong to %s: %j', (modelType, autoMap) => {
  expect(foreignClass(modelType, autoMap)).toBeUndefined();
});

test.each([
  ['bert', { AutoModel: 'distant_bert.DistantBert' }, 'DistantBert'],
  ['bert', { AutoModel: 'a.BertModel', AutoModelForMaskedLM: 'a.MosaicForMaskedLM' }, 'MosaicForMaskedLM'],
  ['qwen2', { AutoModel: 'modeling.JinaBertModel' }, 'JinaBertModel'],
])('a class that does not belong to %s: %j', (modelType, autoMap, found) => {
  expect(foreignClass(modelType, autoMap)).toBe(found);
});
