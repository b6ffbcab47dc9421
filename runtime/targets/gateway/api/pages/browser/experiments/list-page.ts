import type { Static } from 'typebox';
import type { experimentList } from '#gateway/api/experiments-schemas.ts';
import type { Place } from '#serve/http/pages/browser/start-app.ts';
import { badge } from '#serve/http/pages/browser/components/facts.ts';
import { dataTable } from '#serve/http/pages/browser/components/data-table.ts';
import { empty } from '#serve/http/pages/browser/components/states.ts';
import { element, listed } from '#serve/http/pages/browser/dom.ts';
import { dateTime } from '#serve/http/pages/browser/format.ts';
import { linkTo } from '#serve/http/pages/browser/route.ts';

type Listed = Static<typeof experimentList>['items'][number];

const NEW = { name: 'New experiment', href: linkTo(['experiments', 'new']) };

/** All experiments that the user can see. */
export function showExperiments({ root, session, navigate }: Place) {
  const create = element('button', { type: 'button' }, NEW.name);
  create.addEventListener('click', () => navigate(NEW.href));
  root.append(
    element('div', { class: 'toolbar' }, create),
    dataTable({
      caption: 'Experiments',
      empty: empty('There are no experiments yet. An experiment compares models on the same rows.', NEW),
      href: ({ id }: Listed) => linkTo(['experiments', id]),
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
        const { data } = await session.call<Static<typeof experimentList>>('api/v1/experiments/', {
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

function modelsCell({ workflows }: Listed) {
  const models = workflows ?? [];
  return listed([
    ...models.slice(0, MAX_MODELS).map(({ name }) => name),
    ...(models.length > MAX_MODELS ? [`${models.length - MAX_MODELS} more`] : []),
  ]);
}

function stateCell({ workflows }: Listed) {
  const states = new Set(workflows?.map(({ status }) => status));
  if (states.size === 0) return '–';
  if (states.has('running') || states.has('created')) return badge('running', 'warning');
  return states.has('failed') ? badge('failed', 'alarm') : badge('finished', 'good');
}
