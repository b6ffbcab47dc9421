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

const UTC = 'UTC';
const BROWSER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A choice of the time zone in which days start; by default the browser's. */
export const ZONE_CHOICE: Choice = {
  name: 'time_zone',
  title: 'Time zone',
  choices: [...new Set([BROWSER_ZONE, UTC, ...Intl.supportedValuesOf('timeZone')])].map((name) => ({
    name,
    words: name.replaceAll('_', ' '),
  })),
  read: zoneNamed,
};

/** The browser's name of a time zone; browsers differ, for example in Asia/Kolkata and Asia/Calcutta. */
function zoneNamed(text: string) {
  try {
    return Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return text;
  }
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
  /** The name of a choice, from a value in the URL. Default: the value. */
  readonly read?: (text: string) => string;
}

/** The selected values. A value that is not among the choices, e.g. from an edited URL, is not used. */
const chosenIn = (query: URLSearchParams, choices: readonly Choice[]) =>
  new Map(
    choices.map(({ name, choices: known, read = (text: string) => text }) => {
      const wanted = read(query.get(name) ?? '');
      const found = known.find((one) => one.name === wanted) ?? known[0];
      return [name, found?.name ?? ''];
    }),
  );

/** The selected time zone. */
export const zoneIn = (query: URLSearchParams) => chosenIn(query, [ZONE_CHOICE]).get(ZONE_CHOICE.name) ?? UTC;

/** Adds fields for selecting a time range and more, and a part that is redrawn after each selection. */
export function rangePage(
  { root, query, signal }: Pick<Place, 'root' | 'query' | 'signal'>,
  choices: readonly Choice[],
  draw: (range: TimeRange, chosen: (name: string) => string, signal: AbortSignal) => Promise<readonly Node[]>,
) {
  let range = rangeIn(query);
  const chosen = chosenIn(query, choices);
  const part = livePart(signal, (leaving) => draw(range, (name) => chosen.get(name) ?? '', leaving));
  const fields = fieldsOf(choices, chosen, () => void part.refresh());
  const rangeField = rangeChoice(query, (selected) => {
    range = selected;
    void part.refresh();
  });
  root.append(element('div', { class: 'filters' }, rangeField, ...fields), part);
  return part;
}

const fieldsOf = (choices: readonly Choice[], chosen: Map<string, string>, redraw: () => void) =>
  choices.map((choice) =>
    choiceOf({
      ...choice,
      value: chosen.get(choice.name) ?? '',
      onChange(value) {
        chosen.set(choice.name, value);
        redraw();
      },
    }),
  );

/** A field, and a part that is redrawn after each selection. */
export function choicePart(
  choice: Choice,
  query: URLSearchParams,
  leaving: AbortSignal,
  draw: (value: string, signal: AbortSignal) => Promise<readonly Node[]>,
) {
  const chosen = chosenIn(query, [choice]);
  const part = livePart(leaving, (signal) => draw(chosen.get(choice.name) ?? '', signal));
  const fields = fieldsOf([choice], chosen, () => void part.refresh());
  return [element('div', { class: 'filters' }, ...fields), part];
}
