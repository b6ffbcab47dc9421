import { Type, type Static } from 'typebox';
import { DEVICES } from './devices.ts';
import { MODEL_TYPE_NAMES, type ModelType } from './model-types.ts';
import {
  detectionFields,
  inputNames,
  longTextFields,
  multiVectorFields,
  quantizeFields,
  sentenceFields,
  transformLimits,
} from './config-fields.ts';
import { LIBRARY_NAMES } from './transform.ts';
import { TOKENIZER_OPTIONS } from './tokenizer-options.ts';

/**
 * Pattern that rejects C0 and C1 control characters. It does not require the `u` flag, so all
 * editors interpret it in the same way.
 */
export const NO_CONTROL_CHARACTERS = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';
/** @internal Exported for tests only. */
export const CONFIG_SCHEMA_ID = 'urn:encoderfile:config';

const path = (description: string) =>
  Type.String({ minLength: 1, pattern: NO_CONTROL_CHARACTERS, description });

const modelFiles = Type.Object(
  {
    model_config_path: path('Path of config.json.'),
    model_weights_path: path('Path to the ONNX weights.'),
    tokenizer_path: path('Path to tokenizer.json, vocab.txt, vocab.json or a sentencepiece model.'),
    tokenizer_config_path: Type.Optional(path('Path to tokenizer_config.json, if present.')),
  },
  { additionalProperties: false, description: 'The model files, each with its own path.' },
);

const transformFile = Type.Object(
  { path: path('Path to a Lua file that defines `Postprocess`.') },
  { additionalProperties: false, description: 'A Lua script in a separate file.' },
);

const build = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 256,
      pattern: NO_CONTROL_CHARACTERS,
      description: 'Model name, returned as `model_id` in every response.',
    }),
    version: Type.Optional(
      Type.String({ minLength: 1, default: '0.1.0', description: 'Version of this build; any string.' }),
    ),
    license: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        pattern: NO_CONTROL_CHARACTERS,
        description:
          "License of the model: an SPDX id such as apache-2.0, or a short text. Default: the license in the model's README.md, or the title of its license file.",
      }),
    ),
    device: Type.Optional(
      Type.Enum(DEVICES, {
        description:
          'Default of `--device` for serve, mcp, bench and infer --input: cpu, gpu, or auto for the GPU where it is faster. Default: cpu.',
      }),
    ),
    path: Type.Union(
      [
        path(
          'Folder that contains config.json, tokenizer.json or a vocabulary to create it from, and model.safetensors, model.onnx or onnx/model.onnx; or a Hugging Face Hub model: hf:org/name or hf:org/name@revision.',
        ),
        modelFiles,
      ],
      {
        description:
          'The model: a folder, a Hugging Face Hub model, or one path per file. Paths are relative to this file.',
      },
    ),
    variant: Type.Optional(
      Type.String({
        minLength: 1,
        pattern: NO_CONTROL_CHARACTERS,
        description:
          'ONNX graph in the folder to use, e.g. fp16 or quantized for onnx/model_fp16.onnx or onnx/model_quantized.onnx. Default: model.onnx, or the only graph.',
      }),
    ),
    model_type: Type.Enum(MODEL_TYPE_NAMES, {
      description: 'Model type; determines the endpoints and the shape of their results.',
    }),
    output: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'ONNX graph output that contains the results. Default: the output that matches `model_type`, by name or by shape.',
      }),
    ),
    inputs: Type.Optional(inputNames),
    max_length: Type.Optional(
      Type.Integer({
        minimum: 3,
        maximum: 1_000_000,
        description:
          'Maximum number of tokens per text, including special tokens; longer texts are truncated. Default: read from the model files.',
      }),
    ),
    integer_weights: Type.Optional(
      Type.Enum(['keep', 'convert'], {
        description:
          'Whether weights stored as integers stay integers (smaller) or are converted to float32 during the build (faster for short texts). Default: keep.',
      }),
    ),
    ...quantizeFields,
    tokenizer: Type.Optional(TOKENIZER_OPTIONS),
    ...longTextFields,
    ...sentenceFields,
    ...multiVectorFields,
    ...detectionFields,
    output_path: Type.Optional(
      path('Path to the executable, relative to the current directory. Default: ./<name>.encoder'),
    ),
    cache_dir: Type.Optional(path("Cache folder for base runtimes. Default: the system's cache folder.")),
    target: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Target platform, e.g. linux-arm64, or a target triple. Default: this machine.',
      }),
    ),
    base_binary_path: Type.Optional(path('Base runtime to use instead of the cached one.')),
    transform: Type.Optional(
      Type.Union(
        [
          Type.String({ pattern: '\\S', description: 'Lua source that defines `Postprocess`.' }),
          transformFile,
        ],
        { description: "Lua script that post-processes the model's output: inline, or in a file." },
      ),
    ),
    validate_transform: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'Test the transform with real and random model output before building.',
      }),
    ),
    lua_libs: Type.Optional(
      Type.Array(Type.Enum([...LIBRARY_NAMES]), {
        default: [],
        description:
          'Additional Lua libraries for the transform; table, string, math and utf8 are always available.',
      }),
    ),
    transform_limits: Type.Optional(transformLimits),
    build: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'Whether to write an executable; false writes its assets as a folder.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Settings of one build.' },
);

/** The YAML build configuration as JSON Schema draft-07, for validation in the CLI and completion in editors. */
export const CONFIG_SCHEMA = Type.Object(
  { encoderfile: build },
  {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: CONFIG_SCHEMA_ID,
    title: 'encoderfile build configuration',
    additionalProperties: false,
  },
);

/** A valid config file before defaults are filled in. */
export type BuildConfigFile = Static<typeof CONFIG_SCHEMA>;
/** The fields under `encoderfile:`. */
export const CONFIG_FIELDS: readonly string[] = Object.keys(build.properties);
/** Settings that only models of some types support. */
export type TypeFields = Pick<
  BuildConfigFile['encoderfile'],
  keyof typeof sentenceFields | keyof typeof multiVectorFields | keyof typeof detectionFields
>;
/** The fields of image_embedding models, which mean the same as for vectors of texts. */
const IMAGE_VECTOR_FIELDS = ['pooling', 'normalize', 'dimensions', 'similarity_fn_name'];
/** The fields that only models of some types support. */
export const FIELDS_OF_TYPES: Partial<Record<ModelType, readonly string[]>> = {
  sentence_embedding: Object.keys(sentenceFields),
  image_embedding: IMAGE_VECTOR_FIELDS,
  image_text_embedding: IMAGE_VECTOR_FIELDS.filter((name) => name !== 'pooling'),
  multi_vector: ['normalize', ...Object.keys(multiVectorFields)],
  object_detection: Object.keys(detectionFields),
};
