import { isScalar, Scalar } from 'yaml';
import {
  CONFIG_SCHEMA,
  type BuildConfigFile,
  CONFIG_FIELDS,
  FIELDS_OF_TYPES,
  type TypeFields,
} from '#contract/config-schema.ts';
import { configError } from '#contract/errors.ts';
import type { ModelType } from '#contract/model-types.ts';
import type { UnfetchedConfig, BuildConfig, TransformSource } from './build-config.ts';
import {
  checkPaths,
  checkTransform,
  checkSentence,
  checkTokenizer,
  checkLongTexts,
  checkTruncation,
  isAlwaysInWindows,
} from './check-fields.ts';
import type { Environment } from '#core/text/expand.ts';
import { isMapping, describe } from '#core/yaml/describe.ts';
import { formatIssues, type SchemaIssue } from '#core/yaml/issue.ts';
import { locate, nodeAt, sourceAt } from '#core/yaml/locate.ts';
import { parseYaml, type ParsedYaml } from '#core/yaml/parse-yaml.ts';
import { createValidate } from '#core/yaml/validate.ts';
import { dirname, isAbsolute, join } from 'node:path';
import type { TransformLimits } from '#contract/transform.ts';
import { isHubReference, parseHubReference } from './hub-reference.ts';
import { expandPath } from './expand.ts';

/** Command-line values that override those in the config file. */
interface Overrides {
  readonly modelType?: ModelType | undefined;
}

/**
 * Parses a build configuration. Throws one ConfigError that lists every problem on its own line:
 * `file:line:column path: message`.
 */
export function parseConfig(
  text: string,
  file: string,
  env: Environment,
  { modelType }: Overrides = {},
): UnfetchedConfig {
  const yaml = parseYaml(text);
  const { findings, rest } = yaml.value === undefined ? {} : checkTopLevel(yaml.value);
  const fields = rest?.['encoderfile'];
  // Must run before the checks, because the type decides which fields are valid.
  if (modelType !== undefined && isMapping(fields)) fields['model_type'] = modelType;
  const deeper = rest
    ? [
        // Must run before defaults are filled in: it rejects settings that are defaults of other
        // model types.
        ...checkTruncation(rest),
        ...createValidate(CONFIG_SCHEMA)(rest, { source: (path) => sourceAt(yaml.doc, yaml.text, path) }),
        ...checkPaths(rest, env),
        ...checkSentence(rest),
        ...checkTokenizer(rest),
        ...checkLongTexts(rest),
        ...checkTransform(rest),
      ]
    : [];
  const issues = [
    ...yaml.issues,
    ...[...(findings ?? []), ...deeper].map((finding) => locate(yaml.doc, finding)),
  ];
  if (issues.length > 0 || !rest) throw configError(formatIssues(issues, file, yaml.lines));
  return resolveBuildConfig((rest as BuildConfigFile).encoderfile, file, env, transformLine(yaml));
}

/** The line on which an inline script starts; the text of a block scalar starts below its `|`. */
function transformLine({ doc, lines }: ParsedYaml): number {
  const node = nodeAt(doc, ['encoderfile', 'transform']);
  if (!node) return 0;
  const isBlock = isScalar(node) && (node.type === Scalar.BLOCK_LITERAL || node.type === Scalar.BLOCK_FOLDED);
  return lines.linePos(node.range[0]).line + (isBlock ? 1 : 0);
}

/**
 * Detects mistakes that would make schema errors useless: a file that does not contain a mapping,
 * and fields without indentation. `rest` is validated as usual.
 */
function checkTopLevel(value: unknown): {
  findings: SchemaIssue[];
  rest: Record<string, unknown> | undefined;
} {
  const refuse = (message: string) => ({
    findings: [{ path: [], at: 'value', message } as const],
    rest: undefined,
  });
  if (value === null || value === undefined)
    return refuse('the file is empty; expected a mapping with the key `encoderfile`');
  if (!isMapping(value))
    return refuse(`expected a mapping with the key \`encoderfile\`, found ${describe(value)}`);

  const [first, ...others] = Object.keys(value).filter((key) => CONFIG_FIELDS.includes(key));
  if (first === undefined) return { findings: [], rest: value };
  const names = [first, ...others].map((name) => `\`${name}\``).join(', ');
  const [verb, them] = others.length > 0 ? ['are', 'them'] : ['is', 'it'];
  const where = Object.hasOwn(value, 'encoderfile')
    ? 'under `encoderfile:`'
    : 'under an `encoderfile:` line at the top';
  const findings: SchemaIssue[] = [
    {
      path: [first],
      at: 'key',
      label: [],
      message: `${names} ${verb} at the top level; indent ${them} ${where}`,
    },
  ];
  const nested = value['encoderfile'];
  const rest = Object.fromEntries(Object.entries(value).filter(([key]) => !CONFIG_FIELDS.includes(key)));
  return { findings, rest: isMapping(nested) ? rest : undefined };
}

type Fields = BuildConfigFile['encoderfile'];

/**
 * Applies defaults and converts a valid config file to the build configuration. `transformLine` is
 * the line on which an inline script starts.
 */
function resolveBuildConfig(
  fields: Fields,
  file: string,
  env: Environment,
  transformLine: number,
): UnfetchedConfig {
  const place = (path: string): string => {
    const expanded = expandPath(path, env);
    return isAbsolute(expanded) ? expanded : join(dirname(file), expanded);
  };
  return {
    file,
    name: fields.name,
    version: defaulted(fields.version),
    device: fields.device,
    license: fields.license,
    modelType: fields.model_type,
    model: modelSource(fields, env, place),
    outputPath: fields.output_path === undefined ? undefined : expandPath(fields.output_path, env),
    cacheDir: fields.cache_dir === undefined ? undefined : place(fields.cache_dir),
    target: fields.target,
    baseBinaryPath: fields.base_binary_path === undefined ? undefined : place(fields.base_binary_path),
    transform: transformSource(fields.transform, place, transformLine),
    validateTransform: defaulted(fields.validate_transform),
    luaLibs: defaulted(fields.lua_libs),
    transformLimits: limits(fields.transform_limits),
    build: defaulted(fields.build),
    output: fields.output,
    inputs: fields.inputs ?? {},
    maxLength: fields.max_length ?? fields.tokenizer?.max_length,
    keepsIntegers: fields.integer_weights !== 'convert',
    tokenizer: fields.tokenizer ?? {},
    quantize: quantizeSettings(fields, place),
    distill: distillSettings(fields),
    windows:
      fields.long_texts === 'windows' || isAlwaysInWindows(fields.model_type)
        ? { stride: fields.stride ?? fields.tokenizer?.stride }
        : undefined,
    typeFields: typeFields(fields),
  };
}

function quantizeSettings(fields: Fields, place: (path: string) => string): BuildConfig['quantize'] {
  const { quantize: form, calibration, min_cosine: minCosine, min_agreement: minAgreement } = fields;
  return {
    form: defaulted(form),
    calibration: calibration === undefined ? undefined : place(calibration),
    minCosine: defaulted(minCosine),
    minAgreement: defaulted(minAgreement),
  };
}

const DISTILLED_DIMENSIONS = 256;
const MIN_NEIGHBORS = 0.3;

const distillSettings = ({
  distill = 'none',
  distill_dimensions: dimensions,
  min_neighbors: minNeighbors,
}: Fields): BuildConfig['distill'] => ({
  form: distill,
  dimensions: dimensions ?? DISTILLED_DIMENSIONS,
  minNeighbors: minNeighbors ?? MIN_NEIGHBORS,
});

function modelSource(
  { path, variant }: Fields,
  env: Environment,
  place: (path: string) => string,
): UnfetchedConfig['model'] {
  if (typeof path === 'string') {
    const expanded = expandPath(path, env);
    if (isHubReference(expanded)) return { kind: 'hub', reference: parseHubReference(expanded), variant };
    return { kind: 'folder', folder: place(path), variant };
  }
  return {
    kind: 'files',
    modelConfig: place(path.model_config_path),
    weights: place(path.model_weights_path),
    tokenizer: place(path.tokenizer_path),
    tokenizerConfig: path.tokenizer_config_path === undefined ? undefined : place(path.tokenizer_config_path),
  };
}

const typeFields = (fields: Fields): TypeFields => {
  const names = FIELDS_OF_TYPES[fields.model_type] ?? [];
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
};

function transformSource(
  transform: Fields['transform'],
  place: (path: string) => string,
  line: number,
): TransformSource | undefined {
  if (transform === undefined) return undefined;
  if (typeof transform === 'string') return { kind: 'inline', source: transform, line };
  return { kind: 'file', path: place(transform.path) };
}

function limits(given: Fields['transform_limits']): TransformLimits {
  const { instructions, memory_mb, seconds } = defaulted(given);
  return {
    instructions: defaulted(instructions),
    memory_mb: defaulted(memory_mb),
    seconds: defaulted(seconds),
  };
}

/**
 * Asserts that the schema's default has been filled in, because the types derived from the schema
 * cannot express it.
 */
function defaulted<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The configuration was not validated: a default is missing');
  return value;
}
