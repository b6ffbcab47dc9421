import { expect, test } from 'vitest';
import { describeDatabases } from '../databases.ts';
import { gatewayOn } from './open-gateway.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}
interface Operation {
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> };
}

/** Neither database stores them unchanged, and PostgreSQL rejects null characters. */
const UNSTORABLE = ['a\0b', 'a\uD800b'];

describeDatabases((database) => {
  test('text that cannot be stored never causes an internal error, in any member of any body', async () => {
    const { clock, ...state } = await database.start();
    const gateway = gatewayOn(state, clock, {});
    const document = (await gateway.ask('GET', '/openapi.json')).body as unknown as Document;
    const failed: unknown[] = [];
    let sent = 0;
    for (const [path, item] of Object.entries(document.paths)) {
      for (const [method, { requestBody }] of Object.entries(item)) {
        const schema = requestBody?.content?.['application/json']?.schema;
        if (!schema || path.startsWith('/api/v1/worker/')) continue;
        const { properties, required } = membersOf(schema, document);
        const valid = Object.fromEntries(
          required.map((name) => [name, example(properties[name] ?? {}, document)]),
        );
        for (const name of Object.keys(properties)) {
          for (const text of UNSTORABLE) {
            const body = {
              ...valid,
              [name]: withText(example(properties[name] ?? {}, document, true), text),
            };
            const answer = await gateway.ask(
              method.toUpperCase(),
              path.replaceAll(/\{[^}]*\}/g, 'one'),
              body,
            );
            sent += 1;
            if (answer.status === 500) failed.push({ method, path, name, text, answer: answer.text });
          }
        }
      }
    }
    await gateway.close();
    expect(failed).toEqual([]);
    expect(sent).toBeGreaterThan(300);
  });
});

function resolved(schema: Schema, document: Document): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : resolved(document.components.schemas[name] ?? {}, document);
}

function membersOf(given: Schema, document: Document) {
  const schema = resolved(given, document);
  const parts = [schema, ...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].map(
    (one) => resolved(one, document),
  );
  const properties: Record<string, Schema> = Object.assign({}, ...parts.map((one) => one.properties));
  return { properties, required: (schema.required ?? []).filter((name) => name in properties) };
}

/** A value for a schema; with all members if it is an object whose texts are of interest. */
function example(given: Schema, document: Document, isWhole = false, depth = 0): unknown {
  const schema = resolved(given, document);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first) return example(first, document, isWhole, depth);
  const type = typeof schema.type === 'object' ? schema.type[0] : schema.type;
  if (type === 'integer' || type === 'number') return Math.max(1, schema.minimum ?? 1);
  if (type === 'boolean') return false;
  if (type === 'array') return depth > 3 ? [] : [example(schema.items ?? {}, document, isWhole, depth + 1)];
  if (type === 'object') {
    const { properties, required } = membersOf(schema, document);
    const names = depth > 3 ? [] : isWhole ? Object.keys(properties) : required;
    if (names.length === 0) return { text: 'text' };
    return Object.fromEntries(
      names.map((name) => [name, example(properties[name] ?? {}, document, isWhole, depth + 1)]),
    );
  }
  return schema.format === 'date-time' ? '2026-01-01T00:00:00Z' : 'openai:one';
}

/** Replaces every string in a value. */
function withText(value: unknown, text: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withText(item, text));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withText(member, text)]));
  return text;
}
