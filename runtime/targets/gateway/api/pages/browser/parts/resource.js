/** @import { Column } from '../components/data-table.js' */
/** @import { Filter } from '../components/filters.js' */
/** @import { GatewaySection } from '../sections.js' */
/** @import { Session } from '../session.js' */
/** @typedef {Parameters<GatewaySection['show']>[0]['linked']} Linked */
import { dataTable } from '../components/data-table.js';
import { facts } from '../components/facts.js';
import { element, listed } from '../dom.js';
import { dateTime } from '../format.js';
import { exactMoney } from './exact-money.js';
import { linkTo } from '../route.js';
import { actionButton, actions, confirmedButton } from './actions.js';
import { changeBy, createBy } from './edit.js';
import { pagesOf } from './lists.js';

/**
 * @typedef {object} Resource
 * @property {string} path of the page, and of the API after `v1/`
 * @property {string} name in the navigation
 * @property {string} noun
 * @property {string} id member that identifies an object
 * @property {string} newSchema
 * @property {string} [changeSchema] undefined if objects are replaced instead of changed
 * @property {readonly Column<any>[]} columns
 * @property {string} empty
 * @property {string} deletion what a deletion does
 * @property {readonly Filter[]} [filters]
 * @property {string} [intro]
 * @property {boolean} [readers] default: true
 * @property {boolean} [managers]
 * @property {(row: any) => boolean} [canChange]
 * @property {(place: { item: any, session: Session, signal: AbortSignal, refresh: () => void }) => Node[] | Promise<Node[]>} [more] parts of the page of an object
 */

/**
 * The pages of a kind of object: a list with a form for a new one, and a page for each.
 * @param {Resource} resource
 * @returns {readonly GatewaySection[]}
 */
export function resourcePages(resource) {
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
          const made = await createBy(session, {
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
            load: pagesOf(session, `v1/${path}`),
            href: (/** @type {any} */ row) => linkTo([path, String(row[id])]),
            empty,
          }),
        );
      },
    },
    { path: `${path}/:id`, title: name, readers, managers, show: (place) => showOne(resource, place) },
  ];
}

/**
 * @param {Resource} resource
 * @param {Parameters<GatewaySection['show']>[0]} place
 */
async function showOne(resource, place) {
  const { path, noun, changeSchema, deletion, canChange = () => true, more } = resource;
  const { root, params, session, navigate, linked, setTitle, signal } = place;
  const id = params['id'] ?? '';
  const url = `v1/${path}/${encodeURIComponent(id)}`;
  const { data } = await session.call(url, { signal });
  const item = Array.isArray(data) ? data[0] : data;
  const name = item.alias ?? item.name ?? id;
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

/**
 * All members of an object as facts.
 * @param {Record<string, unknown>} item
 * @param {Linked} linked
 */
export const factsOf = (item, linked) =>
  facts(
    Object.entries(item).map(
      ([key, value]) => /** @type {const} */ ([wordsOf(key), valueOf(key, value, linked)]),
    ),
  );

/** @type {Readonly<Record<string, string>>} */
const WORDS = {
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
/** The pages of what members name. */
const PAGES = /** @type {Readonly<Record<string, string>>} */ ({
  user_id: 'users',
  team_id: 'teams',
  budget_id: 'budgets',
});
const MONEY = new Set(['spend', 'reserved', 'max_budget']);

/** @param {string} key */
const wordsOf = (key) => {
  const words = WORDS[key] ?? key.replace(/_id$/, '').replace(/_at$/, '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/**
 * @param {string} key
 * @param {unknown} value
 * @param {Linked} linked
 * @returns {Node | string}
 */
function valueOf(key, value, linked) {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'number' && (MONEY.has(key) || key.includes('price'))) return exactMoney(value);
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (key.endsWith('_at') && typeof value === 'string') return dateTime(value);
  const page = PAGES[key];
  if (page !== undefined && typeof value === 'string') return linked(page, value);
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return listed(value, 'None');
  if (typeof value === 'object') return element('code', {}, JSON.stringify(value));
  return typeof value === 'string' ? value : JSON.stringify(value);
}
