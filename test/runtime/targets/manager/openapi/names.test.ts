import { expect, test } from 'vitest';
import { planOf, toolOf } from './plan.ts';

const namesOf = (paths: object, server?: string): string[] =>
  planOf({ openapi: '3.1.0', info: {}, paths }, {}, server).tools.map(({ definition }) => definition.name);
const get = (operationId?: unknown) => ({ get: { operationId, responses: {} } });

test('names come from the operation ID or, without one, from the method and the path', () => {
  expect(
    namesOf({ '/a': get('repos/list.for-org'), '/users/{id}/keys': get(), '/b': get(5), '/c': get('--') }),
  ).toEqual(['repos_list_for-org', 'get_users_id_keys', 'get_b', 'get_c']);
});

test('operations with the same ID get different names, regardless of case', () => {
  const names = namesOf({ '/a': get('list'), '/b': get('LIST'), '/c': get('get_b'), '/d': get('list') });
  expect(names).toEqual(['list', 'get_b', 'get_c', 'get_d']);
});

test('long names are shortened, stay unique and leave room for the name of the server', () => {
  const long = 'x'.repeat(100);
  const [first, second] = namesOf({ '/a': get(`${long}1`), '/b': get(`${long}2`) }, 'accounting');
  expect(first).toMatch(/^x+_[\da-f]{6}$/);
  expect(first).not.toBe(second);
  expect(`accounting__${first}`).toHaveLength(64);
  const [again] = namesOf({ '/z': get('other'), '/a': get(`${long}1`) }, 'accounting');
  expect(namesOf({ '/a': get(`${long}1`) }, 'accounting')).toEqual([first]);
  expect(again).toBe('other');
});

test('arguments have names that model providers accept, and the API gets its own', () => {
  const parameter = (name: string, place: string) => ({ name, in: place, schema: { type: 'string' } });
  const { definition, operation } = toolOf({
    parameters: [
      parameter('filter[name]', 'query'),
      parameter('$top', 'query'),
      parameter('body', 'query'),
      parameter('id', 'header'),
      parameter('id', 'query'),
      parameter('日本', 'query'),
    ],
    requestBody: { content: { 'application/json': {} } },
  });
  expect(Object.keys(definition.inputSchema['properties'] as object)).toEqual([
    'filter_name',
    'top',
    'body',
    'id',
    'query',
    'id_header',
    'body_request',
  ]);
  expect(operation.parameters.map(({ name }) => name)).toContain('filter[name]');
});
