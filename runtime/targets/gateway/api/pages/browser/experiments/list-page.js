/** @import { Place } from '../start-app.js' */
import { badge } from '../components/facts.js';
import { dataTable } from '../components/data-table.js';
import { empty } from '../components/states.js';
import { element, listed } from '../dom.js';
import { dateTime } from '../format.js';
import { linkTo } from '../route.js';

/**
 * @typedef {object} Listed
 * @property {string} id
 * @property {string} name
 * @property {string} description
 * @property {readonly string[]} tags
 * @property {string} created_at
 * @property {{ task: string }} task_definition
 * @property {readonly { name: string, status: string }[]} workflows
 */

const NEW = { name: 'New experiment', href: linkTo(['experiments', 'new']) };

/**
 * All experiments that the user can see.
 * @param {Place} place
 */
export function showExperiments({ root, session, navigate }) {
  const create = element('button', { type: 'button' }, NEW.name);
  create.addEventListener('click', () => navigate(NEW.href));
  root.append(
    element('div', { class: 'toolbar' }, create),
    dataTable({
      caption: 'Experiments',
      empty: empty('There are no experiments yet. An experiment compares models on the same rows.', NEW),
      href: (/** @type {Listed} */ { id }) => linkTo(['experiments', id]),
      columns: [
        { key: 'name', title: 'Name' },
        { key: 'task', title: 'Task', cell: ({ task_definition: { task } }) => task },
        { key: 'models', title: 'Models', cell: modelsCell },
        { key: 'state', title: 'State', cell: stateCell },
        { key: 'tags', title: 'Tags', cell: ({ tags }) => listed(tags) },
        { key: 'created', title: 'Created', cell: ({ created_at: created }) => dateTime(created) },
      ],
      filters: [
        { key: 'search', title: 'Search names and descriptions', kind: 'text' },
        { key: 'tag', title: 'Tag', kind: 'text' },
      ],
      async load({ filters, cursor, limit, signal }) {
        const skip = Number(cursor ?? 0);
        const { data } = await session.call('api/v1/experiments/', {
          query: { ...filters, skip, limit },
          signal,
        });
        const next = skip + data.items.length;
        return { rows: data.items, total: data.total, next: next < data.total ? String(next) : null };
      },
    }),
  );
}

const MAX_MODELS = 4;

/** @param {Listed} experiment */
const modelsCell = ({ workflows }) =>
  listed([
    ...workflows.slice(0, MAX_MODELS).map(({ name }) => name),
    ...(workflows.length > MAX_MODELS ? [`${workflows.length - MAX_MODELS} more`] : []),
  ]);

/** @param {Listed} experiment */
function stateCell({ workflows }) {
  const has = (/** @type {string} */ status) => workflows.some((workflow) => workflow.status === status);
  if (workflows.length === 0) return '–';
  if (has('running') || has('created')) return badge('running', 'warning');
  return has('failed') ? badge('failed', 'alarm') : badge('finished', 'good');
}
