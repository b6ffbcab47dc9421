import { expect, test } from 'vitest';
import { useGateway } from './use-gateway.ts';

const gateway = useGateway();

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly type?: string };
}
type Paths = Record<string, Record<string, { readonly parameters?: readonly Parameter[] }>>;

test('only list parameters can be repeated in a query', async () => {
  const { request, ask } = gateway();
  const paths = (await ask('GET', '/openapi.json')).body.paths as Paths;
  const wrong: string[] = [];
  const seen = { lists: 0, others: 0 };
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { parameters = [] }] of Object.entries(operations)) {
      for (const { name, schema, ...place } of parameters) {
        if (place.in !== 'query') continue;
        const isList = schema.type === 'array';
        seen[isList ? 'lists' : 'others'] += 1;
        const url = `${path.replaceAll(/\{[^}]+\}/g, 'x')}?${name}=1&${name}=2`;
        const { status, text } = await request(url, { method: method.toUpperCase() });
        const isRefused = status === 422 && text.includes('more than once');
        if (isRefused === isList) wrong.push(`${method} ${path}: ${name} ${status}`);
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(seen.lists).toBeGreaterThan(5);
  expect(seen.others).toBeGreaterThan(100);
});
