import { dirname, isAbsolute, join } from 'node:path';
import { type BuildConfigFile, FIELDS_OF_TYPES, type TypeFields } from '#contract/config-schema.ts';
import { isAlwaysInWindows } from './check-fields.ts';
import type { TransformLimits } from '#contract/transform.ts';
import type { BuildConfig, TransformSource, UnfetchedConfig } from './build-config.ts';
import { isHubReference, parseHubReference } from './hub-reference.ts';
import type { Environment } from '#core/text/expand.ts';
import { expandPath } from './expand.ts';

type Fields = BuildConfigFile['encoderfile'];

/** Resolves a valid file with defaults into the build configuration. `transformLine` is the first line of an inline script. */
export function resolveBuildConfig(
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

/** Asserts that the schema's default has been filled in, which its types do not express. */
function defaulted<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The configuration was not validated: a default is missing');
  return value;
}
