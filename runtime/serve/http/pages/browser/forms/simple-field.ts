import { element, withCode } from '../dom.ts';
import { type Field, type FieldOptions, type Schema, enumOf } from './schema.ts';
import { jsonText } from '../json-text.ts';

/** If a string can be longer than this, it gets a multi-line field. */
const LINE = 200;

let fields = 0;

/** A field for a string, a number, an enum or a boolean. */
export function simpleField({ schema, name, isRequired, value }: FieldOptions): Field {
  if (schema.const !== undefined && isRequired) return constantField(schema.const);
  const choices = schema.const === undefined ? enumOf(schema) : [schema.const];
  if (choices)
    return labelled({ schema, name, isRequired }, choiceInput(choices, value, isRequired), (text) =>
      readChoice(choices, text),
    );
  if (schema.type === 'boolean') return booleanField({ schema, name, isRequired, value });
  const input = textInput(schema);
  input.value = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return labelled({ schema, name, isRequired }, input, (text) =>
    schema.type === 'string' ? readText(schema, text) : readNumber(schema, text),
  );
}

/** The field for a constant. It is not shown on the page. */
const constantField = (value: unknown): Field => ({
  node: element('div', { hidden: true }),
  read: () => ({ value }),
  check: () => true,
  focus() {},
});

/** A label, the input, its description and its problem. */
function labelled(
  { schema, name, isRequired }: { schema: Schema; name: string; isRequired: boolean },
  input: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement,
  parse: (text: string) => { value: unknown } | { problem: string },
): Field {
  const id = `field-${++fields}`;
  const problem = element('p', { id: `${id}-problem`, class: 'field-problem' });
  const words = typeof schema.description === 'string' ? schema.description : '';
  input.id = id;
  if (isRequired) input.required = true;
  input.setAttribute('aria-describedby', `${id}-words ${id}-problem`);
  const read = () => {
    if (input.value === '') return isRequired ? { problem: 'This field is required.' } : { value: undefined };
    return parse(input.value);
  };
  const check = () => {
    const result = read();
    problem.textContent = 'problem' in result ? result.problem : '';
    if ('problem' in result) input.setAttribute('aria-invalid', 'true');
    else input.removeAttribute('aria-invalid');
    return !('problem' in result);
  };
  // A problem is only shown when the user leaves the field, and disappears as soon as the user has
  // corrected it.
  input.addEventListener('input', () => input.hasAttribute('aria-invalid') && check());
  input.addEventListener('change', check);
  const node = element(
    'div',
    { class: 'field' },
    element(
      'label',
      { for: id },
      schema.title ?? name,
      ...(isRequired ? [] : [element('span', { class: 'optional' }, ' optional')]),
    ),
    ...(words === '' ? [] : [element('p', { id: `${id}-words`, class: 'field-words' }, ...withCode(words))]),
    input,
    problem,
  );
  return { node, read, check, focus: () => input.focus() };
}

function choiceInput(choices: readonly unknown[], value: unknown, isRequired: boolean) {
  const options = choices.map((choice) =>
    element('option', { value: JSON.stringify(choice) }, String(choice)),
  );
  const none =
    isRequired && choices.length === 1
      ? []
      : [element('option', { value: '' }, isRequired ? 'Choose one' : 'None')];
  const input = element('select', {}, ...none, ...options);
  const chosen = choices.find((choice) => choice === value);
  input.value =
    chosen === undefined ? (none.length === 0 ? JSON.stringify(choices[0]) : '') : JSON.stringify(chosen);
  return input;
}

const readChoice = (choices: readonly unknown[], text: string) => ({
  value: choices.find((choice) => JSON.stringify(choice) === text),
});

const INPUT_TYPES: Record<string, string> = {
  date: 'date',
  'date-time': 'text',
  email: 'email',
  uri: 'url',
  password: 'password',
};

function textInput({ type, format, maxLength, minimum, maximum, examples, contentMediaType }: Schema) {
  if (type !== 'string') {
    const limits = {
      ...(minimum === undefined ? {} : { min: minimum }),
      ...(maximum === undefined ? {} : { max: maximum }),
    };
    return element('input', { type: 'number', step: type === 'integer' ? '1' : 'any', ...limits });
  }
  if ((maxLength ?? 0) > LINE || contentMediaType !== undefined || format === 'multiline')
    return element('textarea', { rows: 4, spellcheck: 'false' });
  const example = examples?.[0];
  return element('input', {
    type: INPUT_TYPES[format ?? ''] ?? 'text',
    autocomplete: 'off',
    spellcheck: 'false',
    ...(typeof example === 'string' ? { placeholder: `e.g. ${example}` } : {}),
  });
}

function readText({ minLength = 0, maxLength = Infinity, pattern, format }: Schema, text: string) {
  // JSON Schema counts code points.
  const { length } = Array.from(text);
  if (length < minLength) return { problem: `Enter at least ${minLength} characters.` };
  if (length > maxLength) return { problem: `Enter at most ${maxLength} characters.` };
  if (format === 'date-time' && Number.isNaN(Date.parse(text)))
    return { problem: 'Enter a time such as 2026-01-31T12:00:00Z.' };
  if (format === 'uri' && !URL.canParse(text))
    return { problem: 'Enter an address that starts with https:// or http://.' };
  return typeof pattern === 'string' && !isMatch(pattern, text)
    ? { problem: `The value must match ${pattern}.` }
    : { value: text };
}

/** Longer values and patterns with more repetitions can block the page. */
const MAX_CHECKED = 200;
const MAX_REPETITIONS = 3;

/** If a browser cannot parse a pattern, or if the pattern can block the page, only the server checks it. */
function isMatch(pattern: string, text: string) {
  const isRepeatedGroup = /\)[*+{]/.test(pattern);
  const repetitions = pattern.match(/[*+{]/g)?.length ?? 0;
  if (isRepeatedGroup || repetitions > MAX_REPETITIONS || text.length > MAX_CHECKED) return true;
  try {
    // oxlint-disable-next-line encoderfile/linear-regexp -- Text and repetitions are limited above.
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}

function readNumber(
  {
    type,
    minimum = -Infinity,
    maximum = Infinity,
    exclusiveMinimum = -Infinity,
    exclusiveMaximum = Infinity,
  }: Schema,
  text: string,
) {
  const value = Number(text);
  if (!Number.isFinite(value)) return { problem: 'Enter a number.' };
  if (type === 'integer' && !Number.isInteger(value)) return { problem: 'Enter a whole number.' };
  if (value < minimum) return { problem: `The minimum is ${minimum}.` };
  if (value > maximum) return { problem: `The maximum is ${maximum}.` };
  if (value <= exclusiveMinimum) return { problem: `The value must be greater than ${exclusiveMinimum}.` };
  if (value >= exclusiveMaximum) return { problem: `The value must be less than ${exclusiveMaximum}.` };
  return { value };
}

/** If an optional boolean has no value, it is omitted until the user checks the box. */
function booleanField({
  schema,
  name,
  isRequired,
  value,
}: {
  schema: Schema;
  name: string;
  isRequired: boolean;
  value: unknown;
}): Field {
  const id = `field-${++fields}`;
  const words = typeof schema.description === 'string' ? schema.description : '';
  const input = element('input', { id, type: 'checkbox', 'aria-describedby': `${id}-words` });
  input.checked = value === true;
  const node = element(
    'div',
    { class: 'field check' },
    element('p', {}, input, element('label', { for: id }, schema.title ?? name)),
    ...(words === '' ? [] : [element('p', { id: `${id}-words`, class: 'field-words' }, ...withCode(words))]),
  );
  return {
    node,
    read: () => ({ value: input.checked || isRequired || value !== undefined ? input.checked : undefined }),
    check: () => true,
    focus: () => input.focus(),
  };
}

/** A JSON field for a value that no other field supports. */
export function jsonField({ schema, name, isRequired, value }: FieldOptions): Field {
  const input = element('textarea', { rows: 4, spellcheck: 'false', class: 'json' });
  input.value = value === undefined || value === null ? '' : jsonText(value);
  const title = `${schema.title ?? name} (JSON)`;
  return labelled({ schema: { ...schema, title }, name, isRequired }, input, (text) =>
    readJson(String(schema.type), text),
  );
}

function readJson(type: string, text: string) {
  try {
    const value: unknown = JSON.parse(text);
    const actual = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
    const isFitting = (type !== 'object' && type !== 'array') || type === actual;
    return isFitting ? { value } : { problem: `Enter a JSON ${type}.` };
  } catch (error) {
    return { problem: `Enter valid JSON. ${error instanceof Error ? error.message : ''}` };
  }
}
