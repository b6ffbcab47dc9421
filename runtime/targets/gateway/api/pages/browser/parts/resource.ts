import type { Static } from 'typebox';
import type { budget } from '#gateway/api/budgets.ts';
import { type Filter, type Column, dataTable } from '#serve/http/pages/browser/components/data-table.ts';
import type { GatewaySection } from './section.ts';
import type { Place } from '#serve/http/pages/browser/start-app.ts';
import type { Session } from '#serve/http/pages/browser/session.ts';
import { facts } from '#serve/http/pages/browser/components/facts.ts';
import { element, listed } from '#serve/http/pages/browser/dom.ts';
import { dateTime } from '#serve/http/pages/browser/format.ts';
import { linkTo } from '#serve/http/pages/browser/route.ts';
import { limitOf } from './budget-limits.ts';
import { actionButton, actions, confirmedButton, changeBy, createBy } from './edit.ts';
import { pagesOf } from './lists.ts';

type Linked = Place['linked'];
type Budget = Static<typeof budget>;

interface Resource<Item> {
  /** Path of the page, and of the API after `v1/`. */
  readonly path: string;
  /** Label in the navigation. */
  readonly name: string;
  readonly noun: string;
  /** Member that identifies an object. */
  readonly id: keyof Item & string;
  readonly newSchema: string;
  /** The name of the schema for changes; undefined if objects are replaced instead of changed. */
  readonly changeSchema?: string;
  readonly columns: readonly Column<Item>[];
  readonly empty: string;
  /** Describes the consequences of a deletion. */
  readonly deletion: string;
  readonly filters?: readonly Filter[];
  readonly intro?: string;
  /** Default: true. */
  readonly readers?: boolean;
  readonly managers?: boolean;
  readonly canChange?: (row: Item) => boolean;
  /** Additional sections on an object's page. */
  readonly more?: (place: {
    item: Item;
    session: Session;
    signal: AbortSignal;
    refresh: () => void;
  }) => Node[] | Promise<Node[]>;
}

/** The pages for a kind of object: a list with a form for new objects, and a page for each object. */
export function resourcePages<Item extends object>(resource: Resource<Item>): readonly GatewaySection[] {
  const {
    path,
    name,
    noun,
    id,
    columns,
    empty,
    filters = [],
    intro,
    readers = true,
    managers = false,
  } = resource;
  return [
    {
      path,
      name,
      group: 'Manage',
      readers,
      managers,
      show({ root, session, navigate }) {
        const create = async () => {
          const made = await createBy<Item>(session, {
            title: `New ${noun}`,
            schema: resource.newSchema,
            path: `v1/${path}`,
          });
          if (made) navigate(linkTo([path, String(made[id])]));
        };
        root.append(
          ...(intro === undefined ? [] : [element('p', { class: 'hint' }, intro)]),
          actions(actionButton(`New ${noun}`, create, '')),
          dataTable({
            caption: name,
            columns,
            filters,
            load: pagesOf<Item>(session, `v1/${path}`),
            href: (row) => linkTo([path, String(row[id])]),
            empty,
          }),
        );
      },
    },
    { path: `${path}/:id`, title: name, readers, managers, show: (place) => showOne(resource, place) },
  ];
}

async function showOne<Item extends object>(resource: Resource<Item>, place: Place) {
  const { path, noun, changeSchema, deletion, canChange = () => true, more } = resource;
  const { root, params, session, navigate, linked, setTitle, signal } = place;
  const id = params['id'] ?? '';
  const url = `v1/${path}/${encodeURIComponent(id)}`;
  const { data } = await session.call<Item | readonly [Item]>(url, { signal });
  const item = isList(data) ? data[0] : data;
  const { alias, name: own }: { alias?: string | null; name?: string | null } = item;
  const name = alias ?? own ?? id;
  setTitle(name);
  const again = () => navigate(location.hash);
  const change = async () => {
    const changed = await changeBy(session, {
      title: `Change ${name}`,
      schema: changeSchema ?? '',
      path: url,
      values: item,
    });
    if (changed) again();
  };
  const buttons = [
    ...(changeSchema !== undefined && canChange(item) ? [actionButton('Change', change, '')] : []),
    ...(canChange(item)
      ? [
          confirmedButton('Delete', {
            title: `Delete ${noun} ${name}?`,
            words: deletion,
            run: () => session.call(url, { method: 'DELETE' }),
            done: () => navigate(linkTo([path])),
          }),
        ]
      : []),
  ];
  root.append(
    actions(...buttons),
    factsOf(item, linked),
    ...((await more?.({ item, session, signal, refresh: again })) ?? []),
  );
}

/** The prices of a model are a list, whose first item is the price in effect. */
const isList = <Item>(data: Item | readonly [Item]): data is readonly [Item] => Array.isArray(data);

/** All of an object's members as facts. */
export const factsOf = (item: object, linked: Linked) =>
  facts(Object.entries(item).map(([key, value]) => [wordsOf(key), valueOf(key, value, linked)] as const));

const WORDS: Readonly<Record<string, string>> = {
  rpm: 'Requests per minute',
  tpm: 'Tokens per minute',
  max_parallel: 'Concurrent requests',
  reserved: 'Held',
  max_budget: 'Limit',
  alias: 'Name',
  key_name: 'Name',
  key_prefix: 'Starts with',
  budget_duration_sec: 'Reset after seconds',
  api_base: 'Base URL',
  api_key: 'API key',
};
/** Links members that refer to objects to their pages. */
const PAGES = {
  user_id: 'users',
  team_id: 'teams',
  budget_id: 'budgets',
} as Readonly<Record<string, string>>;
/** Members that are lists of limits of a budget. */
const LIMITS = new Set(['limits', 'budget_limits']);
const MONEY = new Set(['spend', 'reserved', 'max_budget']);

const wordsOf = (key: string) => {
  const words = WORDS[key] ?? key.replace(/_id$/, '').replace(/_at$/, '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

function valueOf(key: string, value: unknown, linked: Linked): Node | string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'number' && (MONEY.has(key) || key.includes('price'))) return exactMoney(value);
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (key.endsWith('_at') && typeof value === 'string') return dateTime(value);
  const page = PAGES[key];
  if (page !== undefined && typeof value === 'string') return linked(page, value);
  if (LIMITS.has(key)) return (value as NonNullable<Budget['limits']>).map(limitOf).join('; ');
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return listed(value, 'None');
  if (typeof value === 'object') return element('code', {}, JSON.stringify(value));
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const DOLLARS = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 9,
});

/** An amount with all of its digits, e.g. $0.00325, so that amounts add up to the displayed total. */
export const exactMoney = (value: number | null) => (value === null ? '–' : DOLLARS.format(value));

/** Filters shared by the user and team lists. */
export const ACCOUNT_FILTERS: readonly Filter[] = [
  { key: 'search', title: 'Search', kind: 'text' },
  { key: 'status', title: 'Status', kind: 'choice', choices: ['active', 'blocked'] },
];
