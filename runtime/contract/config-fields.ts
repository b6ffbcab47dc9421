import { Type } from 'typebox';
import { QUANTIZE_FORMS } from './quantization.ts';
import { POOLINGS, SIMILARITIES } from './sentence.ts';
import { DEFAULT_TRANSFORM_LIMITS } from './transform.ts';

/** Whether a build quantizes weights to integers, and how accurate the results must be. */
export const quantizeFields = {
  quantize: Type.Optional(
    Type.Enum(QUANTIZE_FORMS, {
      default: 'none',
      description:
        'int8: compute matrix products with integers, which is about twice as fast, and store weights in a quarter of the space. The build fails if results change too much. auto: only if they do not, and if it is faster on this machine.',
    }),
  ),
  calibration: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'Text file with one text per line, for `quantize`: half of the texts determine scales, the others measure the accuracy. Default: texts in several languages that come with encoderfile.',
    }),
  ),
  min_cosine: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.995,
      description:
        'Minimum mean cosine similarity between the quantized model’s vectors and those of float32.',
    }),
  ),
  min_agreement: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.98,
      description: 'Minimum share of the quantized model’s labels that match float32.',
    }),
  ),
};

/** Fields of sentence_embedding models only, except `normalize`. */
export const sentenceFields = {
  pooling: Type.Optional(
    Type.Enum(POOLINGS, {
      description:
        'How token vectors are pooled into one vector per text. Default: the mode in 1_Pooling/config.json of the model, or mean.',
    }),
  ),
  normalize: Type.Optional(
    Type.Boolean({
      description:
        'Whether to L2-normalize vectors. Default: true if modules.json of the model has a Normalize module.',
    }),
  ),
  dimensions: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Truncate vectors to this many dimensions. Default: all dimensions.',
    }),
  ),
  similarity_fn_name: Type.Optional(
    Type.Enum(SIMILARITIES, {
      description:
        'How vectors are compared. Default: the function in config_sentence_transformers.json of the model, or cosine.',
    }),
  ),
  prompts: Type.Optional(
    Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string', description: 'Text to prepend to each input text.' },
      description: 'Prompts by name. Default: the prompts in config_sentence_transformers.json of the model.',
    }),
  ),
  default_prompt_name: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'Name of the prompt for requests that do not set one. Default: the default in config_sentence_transformers.json, or none.',
    }),
  ),
};

/** Fields of multi_vector models only, next to `normalize`. The names match PyLate's. */
export const multiVectorFields = {
  query_prefix: Type.Optional(
    Type.String({
      description:
        'Token that marks queries, after the first token; empty for none. Default: the token in the files of the model, or "[Q] ".',
    }),
  ),
  document_prefix: Type.Optional(
    Type.String({
      description:
        'Token that marks documents, after the first token; empty for none. Default: the token in the files of the model, or "[D] ".',
    }),
  ),
  query_length: Type.Optional(
    Type.Integer({
      minimum: 4,
      maximum: 1_000_000,
      description:
        'Maximum number of tokens of a query. Default: the number in the files of the model, or 32.',
    }),
  ),
  document_length: Type.Optional(
    Type.Integer({
      minimum: 4,
      maximum: 1_000_000,
      description:
        'Maximum number of tokens of a document. Default: the number in the files of the model, or 180.',
    }),
  ),
  do_query_expansion: Type.Optional(
    Type.Boolean({
      description:
        'Whether queries are filled with the mask token up to query_length. Default: the setting in the files of the model, or true.',
    }),
  ),
  attend_to_expansion_tokens: Type.Optional(
    Type.Boolean({
      description:
        'Whether other tokens attend to the tokens that fill a query. Default: the setting in the files of the model, or false.',
    }),
  ),
  skiplist_words: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      description:
        'Tokens of documents that have no vector. Default: the tokens in the files of the model, or punctuation.',
    }),
  ),
};

/** How texts longer than the maximum are handled. */
export const longTextFields = {
  long_texts: Type.Optional(
    Type.Enum(['truncate', 'windows'], {
      default: 'truncate',
      description:
        'How to handle texts longer than max_length: truncate them, or read them in overlapping windows (only for embedding, sentence_embedding and token_classification).',
    }),
  ),
  stride: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description:
        'Number of tokens that neighboring windows share, with `long_texts: windows`. Default: an eighth of the maximum length.',
    }),
  ),
};

const inputName = (what: string) =>
  Type.Optional(Type.String({ minLength: 1, description: `Input of the ONNX graph that takes ${what}.` }));
export const inputNames = Type.Object(
  {
    input_ids: inputName('the ids of the tokens'),
    attention_mask: inputName('1 for each token and 0 for padding'),
    token_type_ids: inputName('the number of the text that each token belongs to'),
    position_ids: inputName('the position of each token'),
  },
  {
    additionalProperties: false,
    description: 'Input names in the ONNX graph, if not the standard ones. Default: matched by name.',
  },
);

const { instructions, memory_mb, seconds } = DEFAULT_TRANSFORM_LIMITS;
export const transformLimits = Type.Object(
  {
    instructions: Type.Optional(
      Type.Integer({
        minimum: 1000,
        maximum: Number.MAX_SAFE_INTEGER,
        default: instructions,
        description: 'Maximum number of instructions of the Lua virtual machine.',
      }),
    ),
    memory_mb: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1024,
        default: memory_mb,
        description: 'Maximum memory of the script in megabytes, tensors included.',
      }),
    ),
    seconds: Type.Optional(
      Type.Number({
        minimum: 0.1,
        maximum: 3600,
        default: seconds,
        description: 'Maximum run time in seconds.',
      }),
    ),
  },
  { additionalProperties: false, default: {}, description: 'Limits of the transform, per text.' },
);
