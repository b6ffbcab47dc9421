// Writes the TypeScript types of requests and results for the Node package from the schemas of /predict.
import { Type } from 'typebox';
import { overflowMembers } from '../runtime/targets/encoder/schemas/texts.ts';
import { SERVED } from '../runtime/targets/encoder/served/index.ts';
import { MODEL_TYPE_NAMES, readsImages, vectorKind } from '../runtime/contract/model-types.ts';
import { documentedKeywords } from '../runtime/serve/http/documented.ts';

/** A model of a type with everything on which the fields of a request depend. */
const richModel = (modelType) => ({
  modelType,
  name: 'model',
  width: 1,
  tokenizer: {},
  sentence: { pooling: 'mean', prompts: { task: { text: 'Instruct: x\nQuery: ', adapter: 0 } } },
  tokenOutputs: {},
  staticForm: { width: 1 },
  sparse: { queries: 'table' },
  pairPrompt: { first: '{query}', instructed: '{instruction}' },
  ...(readsImages(modelType) ? { images: {} } : {}),
});

/** Fields whose values depend on the model. */
const NAMED_BY_MODEL = new Set(['prompt_name', 'task']);

export function nodeTypesText() {
  const named = new Map();
  const results = [];
  const options = [];
  for (const type of MODEL_TYPE_NAMES) {
    const served = SERVED[type];
    const model = richModel(type);
    const { options: members } = served.request(model, { maxClientBatch: Infinity });
    const required = Type.Object(members).required ?? [];
    // The package sends a default value, as the Python package does.
    const isRequired = (name) => required.includes(name) && name !== 'normalize';
    options.push(interfaceText(`${pascal(type)}Options`, membersOf(members, isRequired, named, true)));
    if (vectorKind(type)) continue;
    const result = served.result(model);
    typeOf(result, named);
    results.push(`  readonly ${type}: ${result.$id};`);
  }
  const limits = membersOf(overflowMembers, () => false, named, true);
  return [
    '// Generated from the schemas of POST /predict by `npm run generate`. Do not edit.\n',
    interfaceText('OverflowOptions', limits),
    ...options,
    ...named.values(),
    `/** The result for an input, by model type. */\nexport interface Results {\n${results.join('\n')}\n}\n`,
  ].join('\n');
}

const pascal = (type) => type.replaceAll(/(?:^|_)(\w)/g, (_, letter) => letter.toUpperCase());

const interfaceText = (name, body) => `export interface ${name} {\n${body}}\n`;

function membersOf(properties, required, named, isRequest) {
  return Object.entries(properties)
    .map(([name, schema]) => {
      const own = documentedKeywords(schema);
      if (own === undefined) return '';
      const type = NAMED_BY_MODEL.has(name) ? 'string | null' : typeOf(own, named);
      const doc = own.description === undefined ? '' : `  /** ${docOf(own)} */\n`;
      const isOptional = !required(name);
      const suffix = isOptional && isRequest && !type.endsWith('| null') ? ' | null' : '';
      return `${doc}  readonly ${name}${isOptional ? '?' : ''}: ${type}${suffix}${isOptional ? ' | undefined' : ''};\n`;
    })
    .join('');
}

function docOf({ description, default: value }) {
  const text = description
    .replace(' At most Infinity per request.', '')
    .replace(/one of the prompts task;/, 'a prompt that contains one;')
    .replace('the server’s setting', 'the option `onOverflow` of `open`');
  return value === undefined || text.includes('Default:')
    ? text
    : `${text} Default: ${JSON.stringify(value)}.`;
}

/** The type of a value with this schema. Schemas with an `$id` become interfaces. */
function typeOf(schema, named) {
  const type = plainType(schema, named);
  return schema.nullable === true && !type.includes('null') ? `${type} | null` : type;
}

function plainType(schema, named) {
  if (schema.enum) return schema.enum.map((value) => literal(value)).join(' | ');
  if (schema.anyOf) return schema.anyOf.map((one) => typeOf(one, named)).join(' | ');
  if (schema.type === 'array') return arrayOf(schema, named);
  if (schema.type === 'object') return objectOf(schema, named);
  return { string: 'string', number: 'number', integer: 'number', boolean: 'boolean', null: 'null' }[
    schema.type
  ];
}

const literal = (value) => (typeof value === 'string' ? `'${value}'` : String(value));

function arrayOf({ items }, named) {
  const item = typeOf(items, named);
  return /[ |]/.test(item) && !item.startsWith('{') && !item.startsWith('readonly')
    ? `readonly (${item})[]`
    : `readonly ${item}[]`;
}

function objectOf(schema, named) {
  const { $id: id, required = [], properties } = schema;
  if (id === undefined) {
    const members = Object.entries(properties).map(
      ([name, one]) => `    readonly ${name}${required.includes(name) ? '' : '?'}: ${typeOf(one, named)};\n`,
    );
    return `{\n${members.join('')}  }`;
  }
  if (!named.has(id)) {
    named.set(id, '');
    named.set(
      id,
      interfaceText(
        id,
        membersOf(properties, (name) => required.includes(name), named, false),
      ),
    );
  }
  return id;
}
