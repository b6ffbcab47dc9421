import { element } from '#serve/http/pages/browser/dom.ts';
import { changeQuery } from '#serve/http/pages/browser/route.ts';
import type { Place } from '#serve/http/pages/browser/start-app.ts';
import { livePart } from './live-part.ts';

export interface TimeRange {
  readonly name: string;
  readonly words: string;
  readonly hours: number;
  readonly interval: 'hour' | 'day';
}

const HOUR_MS = 3_600_000;

const WEEK: TimeRange = { name: '7d', words: 'Last 7 days', hours: 168, interval: 'day' };
const RANGES: readonly TimeRange[] = [
  { name: '24h', words: 'Last 24 hours', hours: 24, interval: 'hour' },
  WEEK,
  { name: '30d', words: 'Last 30 days', hours: 720, interval: 'day' },
  { name: '90d', words: 'Last 90 days', hours: 2160, interval: 'day' },
];

/** The selected range. */
export const rangeIn = (query: URLSearchParams) =>
  RANGES.find(({ name }) => name === query.get('range')) ?? WEEK;

/** API query parameters for a range. */
export function rangeQuery({ hours, interval }: TimeRange) {
  const now = Date.now();
  return {
    from: new Date(now - hours * HOUR_MS).toISOString(),
    to: new Date(now + 1).toISOString(),
    interval,
  };
}

interface ChoiceOfOptions {
  /** Name of the URL parameter. */
  readonly name: string;
  readonly title: string;
  readonly choices: readonly { name: string; words: string }[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A select field whose value is kept in the page's URL. */
function choiceOf({ name, title, choices, value, onChange }: ChoiceOfOptions) {
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

const rangeChoice = (query: URLSearchParams, onChange: (range: TimeRange) => void) =>
  choiceOf({
    name: 'range',
    title: 'Time range',
    choices: RANGES,
    value: rangeIn(query).name,
    onChange: (name) => onChange(rangeIn(new URLSearchParams({ range: name }))),
  });

interface Choice {
  /** Name of the URL parameter. */
  readonly name: string;
  readonly title: string;
  /** The first one is the default. */
  readonly choices: readonly { name: string; words: string }[];
}

/** Adds fields for selecting a time range and more, and a part that is redrawn after each selection. */
export function rangePage(
  { root, query, signal }: Pick<Place, 'root' | 'query' | 'signal'>,
  choices: readonly Choice[],
  draw: (range: TimeRange, chosen: (name: string) => string, signal: AbortSignal) => Promise<readonly Node[]>,
) {
  let range = rangeIn(query);
  const chosen = new Map(
    choices.map(({ name, choices: [first] }) => [name, query.get(name) ?? first?.name ?? '']),
  );
  const part = livePart(signal, (leaving) => draw(range, (name) => chosen.get(name) ?? '', leaving));
  const fields = choices.map((choice) =>
    choiceOf({
      ...choice,
      value: chosen.get(choice.name) ?? '',
      onChange(value) {
        chosen.set(choice.name, value);
        void part.refresh();
      },
    }),
  );
  const rangeField = rangeChoice(query, (selected) => {
    range = selected;
    void part.refresh();
  });
  root.append(element('div', { class: 'filters' }, rangeField, ...fields), part);
  return part;
}
