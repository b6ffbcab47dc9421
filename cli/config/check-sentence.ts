import { FIELDS_OF_TYPES } from '#contract/config-schema.ts';
import { MODEL_TYPE_NAMES, type ModelType } from '#contract/model-types.ts';
import { describe, isMapping, listing } from '#core/yaml/describe.ts';
import type { Finding } from '#core/yaml/issue.ts';
import { didYouMean } from '#core/text/suggest.ts';

/** Checks that a schema cannot express: settings of another model type, and unknown prompt names. */
export function checkSentence(value: Readonly<Record<string, unknown>>): Finding[] {
  const fields = value['encoderfile'];
  if (!isMapping(fields)) return [];
  const type = MODEL_TYPE_NAMES.find((name) => name === fields['model_type']);
  if (type === undefined) return [];
  const foreign = fieldsOfOthers(fields, type);
  const hasPrompts = FIELDS_OF_TYPES[type]?.includes('prompts') === true;
  return hasPrompts ? [...foreign, ...namelessPrompt(fields), ...unknownDefault(fields)] : foreign;
}

/** Fields that models of this type do not have. */
function fieldsOfOthers(fields: Fields, type: ModelType): Finding[] {
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

function namelessPrompt({ prompts }: Fields): Finding[] {
  if (!isMapping(prompts) || !Object.hasOwn(prompts, '')) return [];
  return [
    { path: [...PROMPTS, ''], at: 'key', label: PROMPTS, message: 'the name of a prompt must not be empty' },
  ];
}

/** Without `prompts` in the file, the model's own prompts apply, which are not known here. */
function unknownDefault({ prompts, default_prompt_name: name }: Fields): Finding[] {
  if (!isMapping(prompts) || typeof name !== 'string' || name === '' || Object.hasOwn(prompts, name))
    return [];
  const names = Object.keys(prompts).filter((known) => known !== '');
  const rule =
    names.length === 0 ? '`prompts` is empty' : `expected one of the \`prompts\` ${listing(names)}`;
  const message = `${rule}, found ${describe(name)}${didYouMean(name, names)}`;
  return [{ path: ['encoderfile', 'default_prompt_name'], at: 'value', message }];
}
