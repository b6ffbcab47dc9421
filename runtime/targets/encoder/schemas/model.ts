import { Type } from 'typebox';
import { GPU_PRECISIONS } from '#contract/devices.ts';
import { EMBEDDING_OUTPUTS } from '#contract/embedding-outputs.ts';
import { MODEL_TYPE_NAMES } from '#contract/model-types.ts';
import { SCORE_FUNCTIONS } from '#contract/score-function.ts';
import { POOLINGS, SIMILARITIES } from '#contract/sentence.ts';
import { INT8_SCALE_FORMULA } from '#core/vectors/vector-types.ts';
import { oneOf, textMap } from '#serve/http/schemas.ts';

export const modelMetadata = Type.Object(
  {
    model_id: Type.String(),
    model_type: oneOf(MODEL_TYPE_NAMES),
    version: Type.String({ description: 'Version of the model, from its configuration.' }),
    id2label: Type.Optional(textMap({ description: 'Label for each index.' })),
    score_function: Type.Optional(
      oneOf(SCORE_FUNCTIONS, {
        description:
          'Function that converts logits to scores, if not softmax. With `none`, scores are the logits (regression).',
      }),
    ),
    mask_token: Type.Optional(
      Type.String({ description: 'Token that marks a word to predict (fill_mask only).' }),
    ),
    pooling: Type.Optional(
      Type.Union([oneOf([...POOLINGS, 'sum']), Type.Array(oneOf(POOLINGS))], {
        description:
          'How token vectors are pooled into one: `none` if the model pools them itself, a list if several pooled vectors are concatenated, `max` or `sum` for sparse vectors.',
      }),
    ),
    normalize: Type.Optional(Type.Boolean({ description: 'Whether vectors are L2-normalized.' })),
    dimensions: Type.Optional(Type.Integer({ description: 'Number of dimensions of a vector.' })),
    int8_scale: Type.Optional(
      Type.Number({
        description: `Number by which the values of an \`int8\` vector with this many dimensions are multiplied to get float values. For other numbers of dimensions: ${INT8_SCALE_FORMULA}.`,
      }),
    ),
    image_size: Type.Optional(
      Type.Object(
        { height: Type.Integer(), width: Type.Integer() },
        {
          description:
            'Size in pixels to which images are scaled (models that read images only). Absent if it depends on the image.',
        },
      ),
    ),
    threshold: Type.Optional(
      Type.Number({
        description: 'Score threshold of requests that do not set one (models that find objects only).',
      }),
    ),
    max_image_bytes: Type.Optional(
      Type.Integer({ description: 'Maximum size of an image file in bytes (models that read images only).' }),
    ),
    max_image_pixels: Type.Optional(
      Type.Integer({ description: 'Maximum pixels of an image (models that read images only).' }),
    ),
    device: Type.Optional(
      Type.Object(
        {
          type: oneOf(['cpu', 'gpu']),
          name: Type.Optional(Type.String({ description: 'Name of the GPU.' })),
          precision: Type.Optional(oneOf(GPU_PRECISIONS)),
          min_tokens: Type.Optional(
            Type.Integer({
              description: 'Number of waiting tokens from which the GPU is used. Fewer run on the CPU.',
            }),
          ),
          max_tokens: Type.Optional(
            Type.Integer({ description: 'Maximum tokens in a batch on the GPU, padding included.' }),
          ),
          reason: Type.Optional(
            Type.String({ description: 'Why the GPU is not used. Absent while it is being checked.' }),
          ),
        },
        {
          $id: 'Device',
          description: 'Device that runs the model. Absent if the server was not started with --device.',
        },
      ),
    ),
    static_form: Type.Optional(
      Type.Object(
        {
          dimensions: Type.Integer({ description: 'Number of dimensions of a vector.' }),
          int8_scale: Type.Number({ description: 'The same as `int8_scale` of the model, for this form.' }),
          neighbors: Type.Optional(
            Type.Number({
              description:
                'Average share of the ten nearest texts of a text that are the same as with the model, measured during the build.',
            }),
          ),
        },
        {
          $id: 'StaticForm',
          description:
            'Static form of the model, which requests with `stage: fast` use. Absent if the file has none.',
        },
      ),
    ),
    outputs: Type.Optional(
      Type.Array(oneOf(EMBEDDING_OUTPUTS), {
        description: 'Outputs that requests can select, if the model returns more than dense vectors.',
      }),
    ),
    multi_vector_dimensions: Type.Optional(
      Type.Integer({ description: 'Dimensions of each token vector (multi_vector only).' }),
    ),
    similarity_fn_name: Type.Optional(
      oneOf(SIMILARITIES, {
        description: 'Function that `/similarity` uses to compare vectors, if not cosine.',
      }),
    ),
    prompts: Type.Optional(textMap({ description: 'Prompts by name; a prompt is prepended to each text.' })),
    default_prompt_name: Type.Optional(
      Type.String({ description: 'Name of the prompt to use if a request does not set one.' }),
    ),
    query_prefix: Type.Optional(Type.String({ description: 'Token that marks queries.' })),
    document_prefix: Type.Optional(Type.String({ description: 'Token that marks documents.' })),
    query_length: Type.Optional(Type.Integer({ description: 'Maximum number of tokens in a query.' })),
    document_length: Type.Optional(Type.Integer({ description: 'Maximum number of tokens in a document.' })),
    do_query_expansion: Type.Optional(
      Type.Boolean({ description: 'Whether queries are padded to their maximum length.' }),
    ),
    attend_to_expansion_tokens: Type.Optional(
      Type.Boolean({ description: 'Whether attention covers query padding tokens.' }),
    ),
    license: Type.Optional(
      Type.String({ description: 'License of the model, if known: an SPDX id or a short text.' }),
    ),
    license_name: Type.Optional(
      Type.String({ description: 'Name of a license without an SPDX id, from the model card.' }),
    ),
    license_link: Type.Optional(
      Type.String({ description: 'Link to the license, from the model card. Can be a file name.' }),
    ),
    languages: Type.Optional(Type.Array(Type.String(), { description: 'Languages, from the model card.' })),
    base_models: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Models from which this one was trained or converted, as listed in the model card.',
      }),
    ),
    tags: Type.Optional(Type.Array(Type.String(), { description: 'Tags, from the model card.' })),
    citation: Type.Optional(
      Type.String({ description: 'How to cite the model: BibTeX from the model card, or CITATION.cff.' }),
    ),
  },
  { $id: 'ModelMetadata' },
);
