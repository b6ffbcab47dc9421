import { Type } from 'typebox';
import { QUANTIZE_FORMS } from './quantization.ts';
import { POOLINGS, SIMILARITIES } from './sentence.ts';
import { DISTILL_FORMS } from './token-table.ts';
import { DEFAULT_TRANSFORM_LIMITS } from './transform.ts';

/** Fields that set whether matrix products use fewer bits than float32, and how accurate the results must be. */
export const quantizeFields = {
  quantize: Type.Optional(
    Type.Enum(QUANTIZE_FORMS, {
      default: 'none',
      description:
        'int8: compute matrix products with integers, which is about twice as fast and reduces weights to a quarter of their size. The build fails if results change too much. bf16: compute matrix products in bfloat16 on arm64 CPUs that support it, with the same check; weights and results on other CPUs stay in float32. auto: use int8 only if results stay accurate and it is faster on this machine.',
    }),
  ),
  calibration: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'Text file with one text per line, for `quantize` and `distill`: half of the texts determine the scales; the other half measures accuracy. For models that read images: a folder with images. Default: texts in several languages included in encoderfile, or drawn images.',
    }),
  ),
  min_cosine: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.995,
      description:
        'Minimum mean cosine similarity between the quantized model’s vectors and the float32 vectors.',
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
  distill: Type.Optional(
    Type.Enum(DISTILL_FORMS, {
      description:
        'static: build a static form of the model, which is a table with one vector per token: much faster, but without word order. both: write the model and its static form into one file, and let requests choose with `stage`. The build fails if the nearest texts differ too much. Default: none.',
    }),
  ),
  distill_dimensions: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Maximum number of dimensions of the static form. Default: 256.',
    }),
  ),
  min_neighbors: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'Minimum share of the ten nearest texts of each calibration text that are the same in the static form. Default: 0.3.',
    }),
  ),
  pooling: Type.Optional(
    Type.Enum(POOLINGS, {
      description:
        "How token vectors are pooled into one vector per text. Default: the mode in the model's 1_Pooling/config.json, or mean.",
    }),
  ),
  normalize: Type.Optional(
    Type.Boolean({
      description:
        "Whether to L2-normalize vectors. Default: true if the model's modules.json has a Normalize module.",
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
        "How vectors are compared. Default: the function in the model's config_sentence_transformers.json, or cosine.",
    }),
  ),
  prompts: Type.Optional(
    Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string', description: 'Text to prepend to each input text.' },
      description: "Prompts by name. Default: the prompts in the model's config_sentence_transformers.json.",
    }),
  ),
  task: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'Task of a model with an adapter for each task, such as retrieval.query: its adapter is added to the weights. Default: all adapters, and requests select one.',
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

/** Fields of multi_vector models only, in addition to `normalize`. The names are the same as in PyLate. */
export const multiVectorFields = {
  query_prefix: Type.Optional(
    Type.String({
      description:
        'Token inserted after the first token to mark queries; empty for none. Default: the token in the model files, or "[Q] ".',
    }),
  ),
  document_prefix: Type.Optional(
    Type.String({
      description:
        'Token inserted after the first token to mark documents; empty for none. Default: the token in the model files, or "[D] ".',
    }),
  ),
  query_length: Type.Optional(
    Type.Integer({
      minimum: 4,
      maximum: 1_000_000,
      description: 'Maximum number of tokens per query. Default: the number in the model files, or 32.',
    }),
  ),
  document_length: Type.Optional(
    Type.Integer({
      minimum: 4,
      maximum: 1_000_000,
      description: 'Maximum number of tokens per document. Default: the number in the model files, or 180.',
    }),
  ),
  do_query_expansion: Type.Optional(
    Type.Boolean({
      description:
        'Whether queries are padded with the mask token up to query_length. Default: the setting in the model files, or true.',
    }),
  ),
  attend_to_expansion_tokens: Type.Optional(
    Type.Boolean({
      description:
        'Whether attention covers query padding tokens. Default: the setting in the model files, or false.',
    }),
  ),
  skiplist_words: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      description:
        'Document tokens without a vector. Default: the tokens in the model files, or punctuation.',
    }),
  ),
};

/** Fields of object_detection models only. */
export const detectionFields = {
  threshold: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'Score threshold of requests that do not set one: only objects with a higher score are returned. Default: 0.5.',
    }),
  ),
};

/** Fields for texts that are longer than the maximum length. */
export const longTextFields = {
  long_texts: Type.Optional(
    Type.Enum(['truncate', 'windows'], {
      default: 'truncate',
      description:
        'How to handle texts longer than max_length: truncate them, or split them into overlapping windows (only for embedding, sentence_embedding and token_classification).',
    }),
  ),
  stride: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description:
        'Number of tokens shared by neighboring windows, with `long_texts: windows`. Default: an eighth of the maximum length.',
    }),
  ),
};

const inputName = (what: string) =>
  Type.Optional(Type.String({ minLength: 1, description: `Input of the ONNX graph for ${what}.` }));
export const inputNames = Type.Object(
  {
    input_ids: inputName('token ids'),
    attention_mask: inputName('the attention mask: 1 for each token and 0 for padding'),
    token_type_ids: inputName('the index of the text that each token belongs to'),
    position_ids: inputName('token positions'),
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
        description: 'Maximum number of Lua virtual machine instructions.',
      }),
    ),
    memory_mb: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1024,
        default: memory_mb,
        description: 'Maximum memory for the script in megabytes, including tensors.',
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
  { additionalProperties: false, default: {}, description: 'Limits for the transform, per text.' },
);
