import {
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
  ListToolsResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import { expect, test } from 'vitest';
import { isObject } from '#core/json/is-object.ts';
import { createCheckList } from '#manager/shapes/check-list.ts';
import type { ListName } from '#manager/shared/list-items.ts';
import { damaged } from '../damaged.ts';

const common = {
  title: 'x',
  description: 'x',
  icons: [{ src: 'data:image/png;base64,AA==', mimeType: 'image/png', sizes: ['any'], theme: 'light' }],
  _meta: { a: 1 },
};
const annotations = { audience: ['user'], priority: 0.5, lastModified: '2026-01-31T12:00:00Z' };
const schema = {
  type: 'object',
  properties: { a: { type: 'string', enum: ['x'] }, b: { anyOf: [{ $ref: '#/$defs/c' }] } },
  required: ['a'],
  additionalProperties: false,
  $defs: { c: { type: ['integer', 'null'], pattern: '^a' } },
};
const GOOD: Record<ListName, object> = {
  tools: {
    name: 'x',
    ...common,
    inputSchema: schema,
    outputSchema: schema,
    annotations: {
      title: 'x',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    },
    execution: { taskSupport: 'optional' },
  },
  prompts: { name: 'x', ...common, arguments: [{ name: 'a', description: 'x', required: true }] },
  resources: { uri: 'a:b', name: 'x', ...common, mimeType: 'text/plain', size: 7, annotations },
  resourceTemplates: { uriTemplate: 'a:{b}', name: 'x', ...common, mimeType: 'text/plain', annotations },
};

/** The schemas with which official clients validate lists. */
const STRICT = {
  tools: ListToolsResultSchema,
  prompts: ListPromptsResultSchema,
  resources: ListResourcesResultSchema,
  resourceTemplates: ListResourceTemplatesResultSchema,
};

test.each(Object.keys(GOOD) as ListName[])('valid %s are unchanged', async (list) => {
  expect(await createCheckList()(list, [GOOD[list]])).toEqual({ items: [GOOD[list]], faults: [] });
});

test.each(Object.keys(GOOD) as ListName[])('damaged %s are repaired or omitted', async (list) => {
  const checkList = createCheckList();
  const given = JSON.parse(JSON.stringify([...damaged(GOOD[list])])) as unknown[];
  const { items, faults } = await checkList(list, given);
  expect(items.length + faults.length).toBe(given.length);
  expect(items.length).toBeGreaterThan(given.length / 2);
  expect(STRICT[list].safeParse({ [list]: items }).error).toBeUndefined();
  for (const { outputSchema } of items) {
    if (isObject(outputSchema)) new AjvJsonSchemaValidator().getValidator(outputSchema);
  }
});

test('numbers beyond double precision are kept as numbers, and are not treated as objects', async () => {
  const long = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON('12345678901234567890');
  const { items } = await createCheckList()('resources', [
    { uri: 'a:b', name: 'x', size: long, _meta: long },
  ]);
  expect(items).toEqual([{ uri: 'a:b', name: 'x', size: long }]);
});

test('an excessively long tool list is truncated with a warning', async () => {
  const tools = Array.from({ length: 60_000 }, (_, index) => ({
    name: `t${index}`,
    inputSchema: { type: 'object' },
  }));
  const { items, faults } = await createCheckList()('tools', tools);
  expect([items.length, items.at(-1)?.['name']]).toEqual([5000, 't4999']);
  expect(faults).toEqual(['only the first 5000 of 60000 tools are used; the others are omitted']);
  const { items: all } = await createCheckList()(
    'resources',
    tools.map(({ name }) => ({ name, uri: `a:${name}` })),
  );
  expect(all).toHaveLength(60_000);
});
