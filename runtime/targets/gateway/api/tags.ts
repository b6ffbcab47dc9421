import { Type } from 'typebox';
import { answerOf, noContent } from '#serve/http/openapi/describe.ts';
import type { Route } from '#serve/http/route.ts';
import { closed } from '#serve/http/schemas.ts';
import type { GatewayContext } from '../context.ts';
import { dollars, nonEmptyText, time, timeOrNull } from './http/fields.ts';
import { pageOfList, pageOf } from './http/lists.ts';
import type { HttpParts } from './http/parts.ts';
import { tagView } from './views/accounts.ts';

const tagBudget = closed('TagBudget', { budget_id: nonEmptyText('ID of the budget.') });

const tag = closed(
  'Tag',
  {
    tag: Type.String(),
    budget_id: Type.String({ description: 'ID of the budget.' }),
    spend: dollars('Spending in the current budget window, in US dollars.'),
    reserved: dollars('Amount reserved for requests in flight, in US dollars.'),
    budget_started_at: timeOrNull('Start of the budget window.'),
    next_budget_reset_at: timeOrNull('End of the budget window.'),
    created_at: time('Creation time.'),
    updated_at: time('Time of the last change.'),
  },
  'A request tag with a budget.',
);

const tagList = Type.Array(tag);

const SEARCH = {
  tag: 'search',
  budget_id: '5a3c1f0e-3c55-4f6a-9d0b-9a4be6a6d9f1',
  spend: 12.5,
  reserved: 0,
  budget_started_at: '2026-01-01T00:00:00Z',
  next_budget_reset_at: '2026-02-01T00:00:00Z',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
};

const TAG = { name: 'tag', description: 'The tag.', example: SEARCH.tag };

/** `/v1/tags`: tag budgets. Tags can contain slashes, so the rest of the path is a single tag. */
export function tagRoutes({ state }: GatewayContext, { guards, route }: HttpParts): readonly Route[] {
  const { tags } = state.identity;

  return [
    route({
      method: 'put',
      path: '/v1/tags/:tag{.+}',
      guard: guards.admin,
      id: 'setTag',
      tag: 'Budgets',
      summary: 'Assign a budget to a tag.',
      description:
        'Requests with the tag are charged to this budget, in addition to the budgets of their key and user.',
      parameters: [TAG],
      request: { schema: tagBudget, examples: { budget: { budget_id: SEARCH.budget_id } } },
      answer: answerOf('The tag.', tag, SEARCH),
      run: async (c, { budget_id: budgetId }) => tagView(await tags.set(c.req.param('tag'), budgetId)),
    }),
    route({
      method: 'get',
      path: '/v1/tags',
      guard: guards.reader,
      id: 'listTags',
      tag: 'Budgets',
      summary: 'List tags with a budget.',
      ...pageOfList({ schema: tagList, example: [SEARCH] }),
      run: async (c) => (await tags.list(pageOf(c))).map(tagView),
    }),
    route({
      method: 'get',
      path: '/v1/tags/:tag{.+}',
      guard: guards.reader,
      id: 'getTag',
      tag: 'Budgets',
      summary: 'Get a tag with a budget.',
      parameters: [TAG],
      answer: answerOf('The tag.', tag, SEARCH),
      run: async (c) => tagView(await tags.get(c.req.param('tag'))),
    }),
    route({
      method: 'delete',
      path: '/v1/tags/:tag{.+}',
      guard: guards.admin,
      id: 'deleteTag',
      tag: 'Budgets',
      summary: 'Remove the budget of a tag.',
      description: 'Recorded usage keeps the tag.',
      parameters: [TAG],
      answer: noContent('The tag has no budget.'),
      run: async (c) => {
        await tags.delete(c.req.param('tag'));
      },
    }),
  ];
}
