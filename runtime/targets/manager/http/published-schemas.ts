import type { OpenApiDocument } from '#serve/http/openapi/document.ts';
import type { JsonSchema } from '#serve/http/openapi/hoist.ts';

/** Returns every named schema of an OpenAPI 3.1 document as a standalone JSON Schema text. */
export function publishedSchemas(document: OpenApiDocument): ReadonlyMap<string, string> {
  const { schemas } = document.components;
  return new Map(
    Object.entries(schemas).map(([name, schema]) => {
      const definitions = Object.fromEntries(
        [...namesIn(schema, schemas)].map((used) => [used, schemas[used]]),
      );
      const own = { $schema: DIALECT, title: name, ...schema, $defs: definitions };
      return [name, JSON.stringify(own).replaceAll(`"${COMPONENTS}`, '"#/$defs/')];
    }),
  );
}

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const COMPONENTS = '#/components/schemas/';

/** Returns the schemas that a schema refers to, directly or indirectly. */
function namesIn(
  schema: JsonSchema,
  schemas: Record<string, JsonSchema>,
  found: Set<string> = new Set(),
): Set<string> {
  for (const [, name = ''] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    namesIn(schemas[name] ?? {}, schemas, found);
  }
  return found;
}
