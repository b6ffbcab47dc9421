import { FIELDS_OF_TYPES } from '#contract/config-schema.ts';
import { MODEL_TYPE_NAMES, type ModelType, hasTransforms, windowsRule } from '#contract/model-types.ts';
import { describe, isMapping, listing } from '#core/yaml/describe.ts';
import type { SchemaIssue } from '#core/yaml/issue.ts';
import { didYouMean } from '#core/text/suggest.ts';
import type { Environment } from '#core/text/expand.ts';
import { expandPath, expansionProblems } from './expand.ts';
import { hubReferenceProblem, isHubReference } from './hub-reference.ts';

/** Rejects settings of other model types and unknown prompt names, which a schema cannot express. */
export function checkSentence(value: Readonly<Record<string, unknown>>): SchemaIssue[] {
  const fields = value['encoderfile'];
  if (!isMapping(fields)) return [];
  const type = MODEL_TYPE_NAMES.find((name) => name === fields['model_type']);
  if (type === undefined) return [];
  const foreign = fieldsOfOthers(fields, type);
  const hasPrompts = FIELDS_OF_TYPES[type]?.includes('prompts') === true;
  return hasPrompts ? [...foreign, ...namelessPrompt(fields), ...unknownDefault(fields)] : foreign;
}

/** Fields that models of this type do not support. */
function fieldsOfOthers(fields: Fields, type: ModelType): SchemaIssue[] {
  const own = new Set(FIELDS_OF_TYPES[type]);
  const owners = Object.entries(FIELDS_OF_TYPES);
  const foreign = [...new Set(owners.flatMap(([, names]) => names))].filter(
    (field) => Object.hasOwn(fields, field) && !own.has(field),
  );
  return foreign.map((field) => {
    const types = owners.filter(([, names]) => names.includes(field)).map(([name]) => name);
    return {
      path: ['encoderfile', field],
      at: 'key',
      message: `requires model_type ${types.join(' or ')}, but \`model_type\` is ${type}; remove it, or change \`model_type\``,
    };
  });
}

type Fields = Readonly<Record<string, unknown>>;
const PROMPTS = ['encoderfile', 'prompts'];

function namelessPrompt({ prompts }: Fields): SchemaIssue[] {
  if (!isMapping(prompts) || !Object.hasOwn(prompts, '')) return [];
  return [{ path: [...PROMPTS, ''], at: 'key', label: PROMPTS, message: 'prompt names must not be empty' }];
}

/** Without `prompts` in the config file, the model's own prompts apply. They are not known here. */
function unknownDefault({ prompts, default_prompt_name: name }: Fields): SchemaIssue[] {
  if (!isMapping(prompts) || typeof name !== 'string' || name === '' || Object.hasOwn(prompts, name))
    return [];
  const names = Object.keys(prompts).filter((known) => known !== '');
  const rule =
    names.length === 0 ? '`prompts` is empty' : `expected one of the \`prompts\` ${listing(names)}`;
  const message = `${rule}, found ${describe(name)}${didYouMean(name, names)}`;
  return [{ path: ['encoderfile', 'default_prompt_name'], at: 'value', message }];
}

/** Rejects a transform for a model type that does not support one, which a schema cannot express. */
export function checkTransform(value: Readonly<Record<string, unknown>>): SchemaIssue[] {
  const fields = value['encoderfile'];
  if (!isMapping(fields)) return [];
  const type = MODEL_TYPE_NAMES.find((name) => name === fields['model_type']);
  if (type === undefined || hasTransforms(type) || !Object.hasOwn(fields, 'transform')) return [];
  return [
    {
      path: ['encoderfile', 'transform'],
      at: 'key',
      message: `is not supported for model_type ${type}; remove it, or change \`model_type\``,
    },
  ];
}

const TOKENIZER = ['encoderfile', 'tokenizer'];

/**
 * Rejects conflicting maximum lengths, and settings that would not have the effect that their names
 * suggest. A schema cannot express these rules.
 */
export function checkTokenizer(value: Readonly<Record<string, unknown>>): SchemaIssue[] {
  const fields = value['encoderfile'];
  const options = isMapping(fields) ? fields['tokenizer'] : undefined;
  if (!isMapping(fields) || !isMapping(options)) return [];
  const findings: SchemaIssue[] = [];
  const [outer, inner] = [fields['max_length'], options['max_length']];
  if (typeof outer === 'number' && typeof inner === 'number' && outer !== inner) {
    findings.push({
      path: [...TOKENIZER, 'max_length'],
      at: 'value',
      message: `is ${inner}, but \`max_length\` is ${outer}; remove one of them`,
    });
  }
  if (options['truncation_strategy'] === 'only_second') {
    findings.push({
      path: [...TOKENIZER, 'truncation_strategy'],
      at: 'value',
      message: 'only_second never truncates a single text; use longest_first, or remove it',
    });
  }
  const padding = options['pad_strategy'];
  if (typeof padding === 'string' && padding !== '' && padding !== 'batch_longest') {
    findings.push({
      path: [...TOKENIZER, 'pad_strategy'],
      at: 'value',
      message: `expected batch_longest or a mapping with \`fixed\`, found ${describe(padding)}`,
    });
  }
  return findings;
}

/**
 * Rejects unset variables, and a Lua file name where a script is expected. A schema cannot express
 * these rules.
 */
export function checkPaths(value: Readonly<Record<string, unknown>>, env: Environment): SchemaIssue[] {
  const texts = PATHS.map((path) => ({ path, text: textAt(value, path) }));
  const findings = texts.flatMap(({ path, text }) =>
    expansionProblems(text ?? '', env).map((message): SchemaIssue => ({ path, at: 'value', message })),
  );
  const reference = expandPath(textAt(value, MODEL) ?? '', env);
  const problem = isHubReference(reference) ? hubReferenceProblem(reference) : undefined;
  if (problem !== undefined && findings.length === 0)
    findings.push({ path: MODEL, at: 'value', message: problem });
  if (textAt(value, VARIANT) !== undefined && isMapping(at(value, ['encoderfile', 'path']))) {
    const message = 'requires `path` to be a folder, but it is a mapping of files; remove one of them';
    findings.push({ path: VARIANT, at: 'key', message });
  }
  const script = textAt(value, TRANSFORM);
  if (script === undefined || !LUA_FILE.test(script)) return findings;
  const message = `the value is Lua source; for a file, write \`transform: {path: ${JSON.stringify(script)}}\``;
  return [...findings, { path: TRANSFORM, at: 'value', message }];
}

const MODEL = ['encoderfile', 'path'];
const TRANSFORM = ['encoderfile', 'transform'];
const VARIANT = ['encoderfile', 'variant'];
/** One word ending in `.lua`: never a valid script, but a common mistake in a first config file. */
const LUA_FILE = /^[^\s()=]+\.lua$/;

const PATHS = [
  ['path'],
  ['path', 'model_config_path'],
  ['path', 'model_weights_path'],
  ['path', 'tokenizer_path'],
  ['path', 'tokenizer_config_path'],
  ['output_path'],
  ['cache_dir'],
  ['base_binary_path'],
  ['transform', 'path'],
].map((path) => ['encoderfile', ...path]);

function textAt(value: unknown, path: readonly string[]): string | undefined {
  const found = at(value, path);
  return typeof found === 'string' ? found : undefined;
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((node, key) => (isMapping(node) ? node[key] : undefined), value);

/**
 * Rejects windows for model types that do not support them, strides without windows, and duplicate
 * strides. A schema cannot express these rules.
 */
export function checkLongTexts(value: Readonly<Record<string, unknown>>): SchemaIssue[] {
  const fields = value['encoderfile'];
  if (!isMapping(fields)) return [];
  const { long_texts: rule, model_type: type, stride, tokenizer } = fields;
  const inner = isMapping(tokenizer) ? tokenizer['stride'] : undefined;
  const readsWindows = rule === 'windows' || isAlwaysInWindows(type);
  const findings: SchemaIssue[] = [];
  const windows = windowsOf(type);
  const reason = typeof windows === 'object' ? windows.never : undefined;
  if (rule === 'windows' && reason !== undefined) {
    findings.push({
      path: ['encoderfile', 'long_texts'],
      at: 'value',
      message: `windows is not supported for model_type ${String(type)}, because ${reason}; remove it, or use truncate`,
    });
  }
  if (!readsWindows && stride !== undefined) {
    findings.push({
      path: ['encoderfile', 'stride'],
      at: 'key',
      message: 'requires `long_texts: windows`; add it, or remove `stride`',
    });
  }
  // Other build tools write a stride of 0 by default, even if the model does not use windows.
  if (!readsWindows && typeof inner === 'number' && inner > 0) {
    findings.push({
      path: ['encoderfile', 'tokenizer', 'stride'],
      at: 'value',
      message: `is ${inner}, but long texts are truncated and not read in windows; add \`long_texts: windows\`, or set it to 0`,
    });
  }
  if (typeof stride === 'number' && typeof inner === 'number' && stride !== inner) {
    findings.push({
      path: ['encoderfile', 'tokenizer', 'stride'],
      at: 'value',
      message: `is ${inner}, but \`stride\` is ${stride}; remove one of them`,
    });
  }
  return findings;
}

/**
 * Rejects truncation for models that always read long texts in windows. Must run before defaults
 * are filled in.
 */
export function checkTruncation(value: Readonly<Record<string, unknown>>): SchemaIssue[] {
  const fields = value['encoderfile'];
  if (!isMapping(fields) || !isAlwaysInWindows(fields['model_type']) || fields['long_texts'] !== 'truncate')
    return [];
  return [
    {
      path: ['encoderfile', 'long_texts'],
      at: 'value',
      message: `truncate is not supported for model_type ${String(fields['model_type'])}, which always reads long texts in windows; remove it`,
    },
  ];
}

/** Whether models of this type always read long texts in windows. */
export const isAlwaysInWindows = (type: unknown): boolean => windowsOf(type) === 'always';

function windowsOf(type: unknown): ReturnType<typeof windowsRule> {
  const name = MODEL_TYPE_NAMES.find((known) => known === type);
  return name && windowsRule(name);
}
