/** A schema as JSON, for a document. */
export type JsonSchema = Record<string, unknown>;

/**
 * The schema with every part that has an `$id` replaced by a reference to `components/schemas`, where that part is put under
 * its `$id`. Keywords of our own (`x-…`) are left out.
 */
export function hoist(schema: unknown, components: Record<string, JsonSchema>): JsonSchema {
  const { $id, ...own } = schema as JsonSchema & { $id?: string };
  const plain = copy(own, components);
  if ($id === undefined) return plain;
  components[$id] = plain;
  return { $ref: `#/components/schemas/${$id}` };
}

function copy(schema: JsonSchema, components: Record<string, JsonSchema>): JsonSchema {
  const entries = Object.entries(schema).filter(([keyword]) => !keyword.startsWith('x-'));
  return Object.fromEntries(entries.map(([keyword, value]) => [keyword, inside(keyword, value, components)]));
}

/** Only these keywords hold schemas; what others hold (`default`, `enum`) is data. */
function inside(keyword: string, value: unknown, components: Record<string, JsonSchema>): unknown {
  switch (keyword) {
    case 'properties':
      return Object.fromEntries(
        Object.entries(value as JsonSchema).map(([name, part]) => [name, hoist(part, components)]),
      );
    case 'anyOf':
    case 'oneOf':
      return (value as unknown[]).map((part) => hoist(part, components));
    case 'items':
    case 'additionalProperties':
      return typeof value === 'object' ? hoist(value, components) : value;
    default:
      return value;
  }
}
