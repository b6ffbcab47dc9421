import { element } from '../dom.js';
import { changeQuery } from '../route.js';

/** @typedef {{ name: string, words: string, hours: number, interval: 'hour' | 'day' }} TimeRange */

const HOUR_MS = 3_600_000;

/** @type {TimeRange} */
const WEEK = { name: '7d', words: 'Last 7 days', hours: 168, interval: 'day' };
/** @type {readonly TimeRange[]} */
const RANGES = [
  { name: '24h', words: 'Last 24 hours', hours: 24, interval: 'hour' },
  WEEK,
  { name: '30d', words: 'Last 30 days', hours: 720, interval: 'day' },
  { name: '90d', words: 'Last 90 days', hours: 2160, interval: 'day' },
];

/**
 * The chosen range.
 * @param {URLSearchParams} query
 */
export const rangeIn = (query) => RANGES.find(({ name }) => name === query.get('range')) ?? WEEK;

/**
 * Query parameters of the API for a range.
 * @param {TimeRange} range
 */
export function rangeQuery({ hours, interval }) {
  const now = Date.now();
  return {
    from: new Date(now - hours * HOUR_MS).toISOString(),
    to: new Date(now + 1).toISOString(),
    interval,
  };
}

/**
 * A field that selects a word, which is kept in the address.
 * @param {object} options
 * @param {string} options.name of the parameter
 * @param {string} options.title
 * @param {readonly { name: string, words: string }[]} options.choices
 * @param {string} options.value
 * @param {(value: string) => void} options.onChange
 */
export function choiceOf({ name, title, choices, value, onChange }) {
  const id = `choice-${name}`;
  const select = element(
    'select',
    { id },
    ...choices.map((choice) => element('option', { value: choice.name }, choice.words)),
  );
  select.value = value;
  select.addEventListener('change', () => {
    changeQuery({ [name]: select.value }, { replace: true });
    onChange(select.value);
  });
  return element('p', { class: 'filter choice' }, element('label', { for: id }, title), select);
}

/**
 * @param {URLSearchParams} query
 * @param {(range: TimeRange) => void} onChange
 */
export const rangeChoice = (query, onChange) =>
  choiceOf({
    name: 'range',
    title: 'Time range',
    choices: RANGES,
    value: rangeIn(query).name,
    onChange: (name) => onChange(rangeIn(new URLSearchParams({ range: name }))),
  });
