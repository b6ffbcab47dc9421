import { Type, type Static } from 'typebox';
import { MODEL_TYPE_NAMES } from './model-types.ts';
import { DEFAULT_TRANSFORM_LIMITS, LIBRARY_NAMES } from './transform.ts';
import { POOLINGS } from './sentence.ts';

/** No C0 or C1 control characters. Written without the `u` flag's help, so that every editor reads it the same way. */
export const NO_CONTROL_CHARACTERS = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';
/** @internal Exported for tests only. */
export const CONFIG_SCHEMA_ID = 'urn:encoderfile:config';

const path = (description: string) =>
  Type.String({ minLength: 1, pattern: NO_CONTROL_CHARACTERS, description });

const modelFiles = Type.Object(
  {
    model_config_path: path('The config.json of the model.'),
    model_weights_path: path('The ONNX weights.'),
    tokenizer_path: path('The tokenizer.json.'),
    tokenizer_config_path: Type.Optional(path('The tokenizer_config.json, where the model has one.')),
  },
  { additionalProperties: false, description: 'The files of the model, each by its own path.' },
);

const transformFile = Type.Object(
  { path: path('A Lua file that defines `Postprocess`.') },
  { additionalProperties: false, description: 'A Lua script in a file of its own.' },
);

/** Only of sentence_embedding models. */
const sentence = {
  pooling: Type.Optional(
    Type.Enum(POOLINGS, {
      description:
        "How the vectors of a text's tokens become one. Default: what 1_Pooling/config.json of the model says, else mean.",
    }),
  ),
  normalize: Type.Optional(
    Type.Boolean({
      description:
        'Divide each vector by its length. Default: whether modules.json of the model has a Normalize module.',
    }),
  ),
  dimensions: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Keep only so many first numbers of each vector. Default: all.',
    }),
  ),
  prompts: Type.Optional(
    Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string', description: 'Text that is put before a text.' },
      description: 'Prompts by name. Default: those of config_sentence_transformers.json of the model.',
    }),
  ),
  default_prompt_name: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'The prompt of requests that name none. Default: what config_sentence_transformers.json says, else none.',
    }),
  ),
};

const { instructions, memory_mb, seconds } = DEFAULT_TRANSFORM_LIMITS;
const transformLimits = Type.Object(
  {
    instructions: Type.Optional(
      Type.Integer({
        minimum: 1000,
        maximum: Number.MAX_SAFE_INTEGER,
        default: instructions,
        description: "Instructions of Lua's machine.",
      }),
    ),
    memory_mb: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1024,
        default: memory_mb,
        description: 'Megabytes that the script may hold at once, its tensors included.',
      }),
    ),
    seconds: Type.Optional(
      Type.Number({
        minimum: 0.1,
        maximum: 3600,
        default: seconds,
        description: 'Seconds, for what takes long in few instructions.',
      }),
    ),
  },
  { additionalProperties: false, default: {}, description: 'What a transform may use for one text.' },
);

const build = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 256,
      pattern: NO_CONTROL_CHARACTERS,
      description: 'Identifier of the model; every response carries it as `model_id`.',
    }),
    version: Type.Optional(
      Type.String({ minLength: 1, default: '0.1.0', description: 'Version of this build, free text.' }),
    ),
    path: Type.Union([path('Folder that holds model.onnx, tokenizer.json and config.json.'), modelFiles], {
      description: 'The model: a folder, or its files one by one. Relative to this file.',
    }),
    model_type: Type.Enum(MODEL_TYPE_NAMES, {
      description: 'What the model computes; decides the endpoints and their results.',
    }),
    output: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Output of the ONNX graph to take results from. Default: the one that `model_type` needs, by its usual name or by its shape.',
      }),
    ),
    max_length: Type.Optional(
      Type.Integer({
        minimum: 3,
        maximum: 1_000_000,
        description:
          'Maximum number of tokens of a text, special tokens included; longer texts are cut. Default: what the files of the model say.',
      }),
    ),
    ...sentence,
    output_path: Type.Optional(
      path('Where the executable is written. Relative to the current directory. Default: ./<name>.encoder'),
    ),
    cache_dir: Type.Optional(
      path("Folder for downloaded and prepared base runtimes. Default: the system's cache folder."),
    ),
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
        description: 'Run the transform on real and on made-up output before building.',
      }),
    ),
    lua_libs: Type.Optional(
      Type.Array(Type.Enum([...LIBRARY_NAMES]), {
        default: [],
        description: 'Libraries of Lua for the transform, beside table, string, math and utf8.',
      }),
    ),
    transform_limits: Type.Optional(transformLimits),
    build: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'Write the executable; false writes its assets as a folder instead.',
      }),
    ),
  },
  { additionalProperties: false, description: 'One build of one model.' },
);

/** The YAML build configuration as JSON Schema draft-07: what the CLI validates with and what editors complete from. */
export const CONFIG_SCHEMA = Type.Object(
  { encoderfile: build },
  {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: CONFIG_SCHEMA_ID,
    title: 'encoderfile build configuration',
    additionalProperties: false,
  },
);

/** The file as written and valid. The optional fields that have a default are still optional here. */
export type ConfigFile = Static<typeof CONFIG_SCHEMA>;
/** The fields a user writes under `encoderfile:`. */
export const CONFIG_FIELDS: readonly string[] = Object.keys(build.properties);
/** Those of them that only sentence_embedding models have. */
export const SENTENCE_FIELDS: readonly string[] = Object.keys(sentence);
