import { describe, expect, test } from 'vitest';
import { itemDefinition, itemHash } from '#manager/config/item-definition.ts';
import { isPinnedAs, pinChange } from '#manager/config/pin-change.ts';
import { LIST_NAMES, type ListName } from '#manager/shared/list-items.ts';
import { createCheckList } from '#manager/shapes/check-list.ts';

type Json = Readonly<Record<string, unknown>>;

const COMMON = {
  title: 'A title',
  description: 'A description.',
  icons: [{ src: 'https://a.example/icon.svg', mimeType: 'image/svg+xml', sizes: ['any'], theme: 'dark' }],
  _meta: { ui: { csp: { connectDomains: ['https://a.example'] }, domain: 'a' }, 'a.example/flag': true },
  'a.example/unknown': { deep: [1, { deeper: null }] },
};
const SCHEMA = {
  type: 'object',
  properties: { path: { type: 'string', description: 'A path.', default: '/' } },
  required: ['path'],
};
const HINTS = { audience: ['user'], priority: 0.5 };

/** An item of each list with all members of the newest schema of MCP, and some that it does not define. */
const ITEMS: Readonly<Record<ListName, Json>> = {
  tools: {
    ...COMMON,
    name: 'a',
    inputSchema: SCHEMA,
    outputSchema: SCHEMA,
    annotations: {
      title: 'T',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
      other: 1,
    },
    execution: { taskSupport: 'optional' },
    _meta: { ...COMMON._meta, ui: { resourceUri: 'ui://a/page', visibility: ['model', 'app'] } },
  },
  prompts: {
    ...COMMON,
    name: 'a',
    arguments: [{ name: 'one', title: 'One', description: 'First.', required: true }],
  },
  resources: { ...COMMON, uri: 'memo://a', name: 'a', mimeType: 'text/plain', annotations: HINTS },
  resourceTemplates: {
    ...COMMON,
    uriTemplate: 'memo://{a}',
    name: 'a',
    mimeType: 'text/plain',
    annotations: HINTS,
  },
};

/** Members whose value is different in each list, or describes the current content of a resource. */
const CHANGEABLE: Readonly<Record<ListName, Json>> = {
  tools: { _meta: { traceparent: '00-1-2-01', tracestate: 'a=1', baggage: 'b=2', progressToken: 7 } },
  prompts: { _meta: { traceparent: '00-1-2-01', tracestate: 'a=1', baggage: 'b=2', progressToken: 7 } },
  resources: { size: 7, annotations: { lastModified: '2026-01-01T00:00:00Z' } },
  resourceTemplates: { annotations: { lastModified: '2026-01-01T00:00:00Z' } },
};

/** Returns copies of a JSON value, each with one value replaced, removed or added, and where. */
function* changes(value: unknown, path = ''): Generator<readonly [path: string, changed: unknown]> {
  if (typeof value !== 'object' || value === null) {
    yield [path, `${String(value)}!`];
    return;
  }
  if (Array.isArray(value)) {
    yield [`${path}/+`, [...(value as unknown[]), 'added']];
    for (const [at, one] of value.entries()) {
      for (const [where, changed] of changes(one, `${path}/${at}`)) yield [where, value.with(at, changed)];
    }
    return;
  }
  yield [`${path}/+`, { ...value, added: 1 }];
  for (const [key, one] of Object.entries(value)) {
    const { [key]: _removed, ...rest } = value as Json;
    yield [`${path}/-${key}`, rest];
    for (const [where, changed] of changes(one, `${path}/${key}`))
      yield [where, { ...value, [key]: changed }];
  }
}

const merged = (item: Json, more: Json): Json =>
  Object.fromEntries(
    [...Object.keys(item), ...Object.keys(more)].map((key) => {
      const [before, after] = [item[key], more[key]];
      return [key, typeof after === 'object' ? { ...(before as Json), ...after } : (after ?? before)];
    }),
  );

describe.each(LIST_NAMES)('the pin of an item of %s', (list) => {
  const item = ITEMS[list];
  const hash = itemHash(list, item);

  test('covers each value of each member at any depth', () => {
    const found = [...changes(item)];
    const same = found
      .filter(([, changed]) => itemHash(list, changed as Json) === hash)
      .map(([path]) => path);
    expect(same).toEqual([]);
    expect(found.length).toBeGreaterThan(40);
  });

  test('covers all members that the check of lists lets through to clients', async () => {
    const { items, faults } = await createCheckList()(list, [item]);
    expect(faults).toEqual([]);
    expect(Object.keys(itemDefinition(list, items[0] ?? {})).toSorted()).toEqual(
      Object.keys(items[0] ?? {})
        .filter((key) => !['tools', 'prompts'].includes(list) || key !== 'name')
        .filter((key) => key !== 'uri' && key !== 'uriTemplate')
        .toSorted(),
    );
    expect(Object.keys(items[0] ?? {}).toSorted()).toEqual(Object.keys(item).toSorted());
  });

  test('does not cover values that differ in each list or with the content', () => {
    expect(itemHash(list, merged(item, CHANGEABLE[list]))).toBe(hash);
    const { _meta, annotations: _annotations, ...plain } = item;
    expect(itemHash(list, { ...plain, ...CHANGEABLE[list] })).toBe(itemHash(list, plain));
  });

  test('does not depend on the order of members', () => {
    expect(itemHash(list, Object.fromEntries(Object.entries(item).toReversed()))).toBe(hash);
  });
});

const pinsOf = (list: ListName, item: Json, scope: 'complete' | 'basic' = 'complete') => ({
  onChange: 'block' as const,
  scope,
  hashes: {
    [list]: { [String(item['uri'] ?? item['uriTemplate'] ?? item['name'])]: itemHash(list, item, scope) },
  },
});

test('basic pins of earlier versions cover only the members of tools that these versions pinned', () => {
  const { tools, prompts } = ITEMS;
  const pins = pinsOf('tools', tools, 'basic');
  const paths = [...changes(tools)]
    .filter(([, changed]) => pinChange(pins, 'tools', changed as Json) === 'changed')
    .map(([path]) => path.replace(/^\/-?/, '').split('/')[0]);
  expect(new Set(paths)).toEqual(
    new Set(['title', 'description', 'inputSchema', 'outputSchema', 'annotations']),
  );
  expect(pinChange(pins, 'tools', { ...tools, name: 'b' })).toBe('new');
  expect(pinChange(pins, 'prompts', prompts)).toBeUndefined();
  // A basic pin does not accept the members that it does not cover.
  expect(isPinnedAs(pins, 'tools', tools)).toBe(false);
  const plain = { name: 'a', description: 'A.', inputSchema: SCHEMA };
  expect(isPinnedAs(pinsOf('tools', plain, 'basic'), 'tools', plain)).toBe(true);
});

test('new tools, prompts, templates and pages of apps differ from the pins; other new resources are data', () => {
  const pins = pinsOf('tools', ITEMS.tools);
  const change = (list: ListName, changes_: Json = {}) =>
    pinChange(pins, list, { ...ITEMS[list], ...changes_ });
  expect(change('tools')).toBeUndefined();
  expect(change('tools', { name: 'constructor' })).toBe('new');
  expect(change('prompts')).toBe('new');
  expect(change('resourceTemplates')).toBe('new');
  expect(change('resources')).toBeUndefined();
  expect(change('resources', { uri: 'UI://a/page' })).toBe('new');
});
