/** @import { Field, Schema } from './schema.js' */
/** @import { FieldOptions } from './field.js' */
import { element } from '../dom.js';
import { enumOf } from './schema.js';

/** Texts that can be longer than this have several lines. */
const LINE = 200;

let fields = 0;

/**
 * A field for a text, a number, a choice or a yes or no.
 * @param {FieldOptions} options
 * @returns {Field}
 */
export function simpleField({ schema, name, isRequired, value }) {
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

/**
 * A value that cannot be chosen needs no place on the page.
 * @param {unknown} value
 * @returns {Field}
 */
const constantField = (value) => ({
  node: element('div', { hidden: true }),
  read: () => ({ value }),
  check: () => true,
  focus() {},
});

/**
 * A label, the input, its description and its problem.
 * @param {{ schema: Schema, name: string, isRequired: boolean }} about
 * @param {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} input
 * @param {(text: string) => { value: unknown } | { problem: string }} parse
 * @returns {Field}
 */
export function labelled({ schema, name, isRequired }, input, parse) {
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
  // A problem disappears as soon as it is corrected, and appears only when the user leaves the field.
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
    ...(words === '' ? [] : [element('p', { id: `${id}-words`, class: 'field-words' }, words)]),
    input,
    problem,
  );
  return { node, read, check, focus: () => input.focus() };
}

/**
 * @param {readonly unknown[]} choices
 * @param {unknown} value
 * @param {boolean} isRequired
 */
function choiceInput(choices, value, isRequired) {
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

/**
 * @param {readonly unknown[]} choices
 * @param {string} text
 */
const readChoice = (choices, text) => ({ value: choices.find((choice) => JSON.stringify(choice) === text) });

/** @type {Record<string, string>} */
const INPUT_TYPES = { date: 'date', 'date-time': 'text', email: 'email', uri: 'url', password: 'password' };

/** @param {Schema} schema */
function textInput({ type, format, maxLength, minimum, maximum, examples, contentMediaType }) {
  if (type !== 'string') {
    const limits = {
      ...(minimum === undefined ? {} : { min: minimum }),
      ...(maximum === undefined ? {} : { max: maximum }),
    };
    return element('input', { type: 'number', step: type === 'integer' ? '1' : 'any', ...limits });
  }
  if (maxLength > LINE || contentMediaType !== undefined || format === 'multiline')
    return element('textarea', { rows: 4, spellcheck: 'false' });
  const example = examples?.[0];
  return element('input', {
    type: INPUT_TYPES[format] ?? 'text',
    autocomplete: 'off',
    spellcheck: 'false',
    ...(typeof example === 'string' ? { placeholder: `e.g. ${example}` } : {}),
  });
}

/**
 * @param {Schema} schema
 * @param {string} text
 */
function readText({ minLength = 0, maxLength = Infinity, pattern, format }, text) {
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

/** Longer values, and patterns with more repetitions, can block the page. */
const MAX_CHECKED = 200;
const MAX_REPETITIONS = 3;

/**
 * A pattern that browsers cannot read, or that can block the page, is left to the server.
 * @param {string} pattern
 * @param {string} text
 */
function isMatch(pattern, text) {
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

/**
 * @param {Schema} schema
 * @param {string} text
 */
function readNumber(
  {
    type,
    minimum = -Infinity,
    maximum = Infinity,
    exclusiveMinimum = -Infinity,
    exclusiveMaximum = Infinity,
  },
  text,
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

/**
 * Without a value, an optional one that is not checked is omitted.
 * @param {{ schema: Schema, name: string, isRequired: boolean, value: unknown }} options
 * @returns {Field}
 */
function booleanField({ schema, name, isRequired, value }) {
  const id = `field-${++fields}`;
  const words = typeof schema.description === 'string' ? schema.description : '';
  const input = element('input', { id, type: 'checkbox', 'aria-describedby': `${id}-words` });
  input.checked = value === true;
  const node = element(
    'div',
    { class: 'field check' },
    element('p', {}, input, element('label', { for: id }, schema.title ?? name)),
    ...(words === '' ? [] : [element('p', { id: `${id}-words`, class: 'field-words' }, words)]),
  );
  return {
    node,
    read: () => ({ value: input.checked || isRequired || value !== undefined ? input.checked : undefined }),
    check: () => true,
    focus: () => input.focus(),
  };
}
