import { lookup } from '#core/values/lookup.ts';
import { configError } from '#contract/errors.ts';
import { suggest } from '#core/text/suggest.ts';
import type { Family } from './family.ts';
import { FAMILIES } from './families.ts';

/** Files that can contain the name of a tokenizer's class, in order of precedence. */
export interface FamilySource {
  readonly tokenizerConfig: { readonly tokenizer_class?: unknown };
  readonly modelConfig: { readonly tokenizer_class?: unknown; readonly model_type?: unknown };
}

/** Returns the tokenizer's class name without `Tokenizer` and `Fast`, or undefined if no file names it. */
export function tokenizerName({ tokenizerConfig, modelConfig }: FamilySource): string | undefined {
  const stated = [tokenizerConfig.tokenizer_class, modelConfig.tokenizer_class].find(
    (name) => typeof name === 'string',
  );
  if (typeof stated === 'string') return stated.replace(/(?:Tokenizer)?(?:Fast)?$/, '');
  return MODEL_TYPES[String(modelConfig.model_type)];
}

/**
 * Finds a tokenizer's family. The family is never guessed from a vocabulary file, because several
 * families use the same file names.
 */
export function chooseFamily(source: FamilySource): Family {
  const name = tokenizerName(source);
  const found = FAMILIES.find((family) => family.name === name);
  if (found) return found;
  const names = FAMILIES.map((family) => family.name);
  if (name === undefined) {
    throw configError(
      `The model has no tokenizer.json, and its files do not specify the tokenizer type: \`model_type\` in config.json is ${JSON.stringify(source.modelConfig.model_type) ?? 'missing'}. ` +
        'Set `tokenizer_class` in tokenizer_config.json, for example to BertTokenizer.',
    );
  }
  const similar = suggest(name, names);
  throw configError(
    `Cannot convert a tokenizer of class ${name}Tokenizer to tokenizer.json${similar ? `; did you mean ${similar}Tokenizer?` : '.'} ` +
      `Save tokenizer.json with the fast tokenizer's \`save_pretrained\`. Classes that can be converted: ${names.join(', ')}.`,
  );
}

/** Tokenizers of models whose files contain a `model_type`, but no `tokenizer_class`. */
const MODEL_TYPES = lookup<string>({
  albert: 'Albert',
  bart: 'Bart',
  bert: 'Bert',
  big_bird: 'BigBird',
  bros: 'Bert',
  camembert: 'Camembert',
  convbert: 'ConvBert',
  'data2vec-text': 'Roberta',
  deberta: 'Deberta',
  'deberta-v2': 'DebertaV2',
  distilbert: 'DistilBert',
  dpr: 'DPRQuestionEncoder',
  electra: 'Electra',
  ernie: 'Bert',
  esm: 'Esm',
  fnet: 'FNet',
  funnel: 'Funnel',
  ibert: 'Roberta',
  layoutlm: 'LayoutLM',
  led: 'LED',
  longformer: 'Longformer',
  longt5: 'T5',
  lxmert: 'Lxmert',
  'megatron-bert': 'Bert',
  mobilebert: 'MobileBert',
  mpnet: 'MPNet',
  mra: 'Roberta',
  mt5: 'MT5',
  nezha: 'Bert',
  nystromformer: 'Albert',
  qdqbert: 'Bert',
  rembert: 'RemBert',
  retribert: 'RetriBert',
  roberta: 'Roberta',
  'roberta-prelayernorm': 'Roberta',
  siglip: 'Siglip',
  squeezebert: 'SqueezeBert',
  switch_transformers: 'T5',
  t5: 'T5',
  umt5: 'T5',
  visual_bert: 'Bert',
  'xlm-roberta': 'XLMRoberta',
  'xlm-roberta-xl': 'XLMRoberta',
  xlnet: 'XLNet',
  xmod: 'XLMRoberta',
  yoso: 'Albert',
});
