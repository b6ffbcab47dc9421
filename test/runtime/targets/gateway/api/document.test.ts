import { join } from 'node:path';
import { expect, test } from 'vitest';
import { documentHashes } from '#test/helpers/document-hashes.ts';
import { FIXTURES } from '#test/helpers/paths.ts';
import { useSignIn } from './use-sign-in.ts';

const { start } = useSignIn();

test('the OpenAPI document is byte-for-byte identical to the published one', async () => {
  const { request } = await start();
  const { text } = await request('/openapi.json');
  await expect(`${JSON.stringify(documentHashes(text), null, 1)}\n`).toMatchFileSnapshot(
    join(FIXTURES, 'golden', 'gateway-openapi.json'),
  );
});

interface Member {
  readonly default?: unknown;
  readonly anyOf?: readonly Member[];
}
interface Document {
  readonly paths: Readonly<
    Record<string, { readonly patch?: { readonly requestBody?: { readonly content: Body } } }>
  >;
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties?: Readonly<Record<string, Member>> }>>;
  };
}
type Body = Readonly<Record<string, { readonly schema: { readonly $ref?: string } }>>;

test('PATCH fields have no defaults, because absent fields keep their value', async () => {
  const { request } = await start();
  const { paths, components } = (await request('/openapi.json')).body as Document;
  const changes = Object.values(paths).flatMap(({ patch }) =>
    Object.values(patch?.requestBody?.content ?? {}).map(
      ({ schema }) => schema.$ref?.replace('#/components/schemas/', '') ?? '',
    ),
  );
  expect(changes).toEqual(expect.arrayContaining(['KeyChanges', 'ProviderChanges', 'AliasChanges']));
  const members = changes.flatMap((name) =>
    Object.entries(components.schemas[name]?.properties ?? {}).map(
      ([member, schema]) => [`${name}.${member}`, schema] as const,
    ),
  );
  const withDefault = members.filter(([, { anyOf = [], ...one }]) =>
    [one, ...anyOf].some((schema) => 'default' in schema),
  );
  expect(withDefault).toEqual([]);
});
