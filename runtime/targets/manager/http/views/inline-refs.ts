import { mapInnerSchemas } from '../../shapes/inner-schemas.ts';
import { memberOf } from '#core/values/member-of.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Limit on expanded parts: schemas with many recursive references would grow indefinitely. */
const MAX_PARTS = 20_000;

const DEFINITIONS = new Set(['$defs', 'definitions']);

/**
 * Returns the schema without `$defs`: references are replaced by their targets, so that each part stands
 * alone. Recursive and dangling references are reduced to their type.
 */
export function inlineRefs(root: Schema): Schema {
  let parts = 0;

  /** `open` contains the references currently being expanded around this part. */
  function inline(schema: unknown, open: readonly string[]): unknown {
    return isSchema(schema) ? inlineSchema(schema, open) : schema;
  }

  function inlineSchema(schema: Schema, open: readonly string[]): Schema {
    parts += 1;
    const reference = schema['$ref'];
    if (typeof reference === 'string' && reference.startsWith('#')) return follow(schema, reference, open);
    if (parts > MAX_PARTS) return summaryOf(schema);
    const entries = Object.entries(schema).filter(([keyword]) => !DEFINITIONS.has(keyword));
    return Object.fromEntries(
      entries.map(([keyword, value]) => [
        keyword,
        mapInnerSchemas(keyword, value, (part) => inline(part, open)),
      ]),
    );
  }

  function follow(
    { $ref: _reference, ...siblings }: Schema,
    reference: string,
    open: readonly string[],
  ): Schema {
    const target = find(root, reference);
    const own = inlineSchema(siblings, open);
    if (!isSchema(target)) return own;
    if (open.includes(reference) || parts > MAX_PARTS) return { ...summaryOf(target), ...own };
    return { ...inlineSchema(target, [...open, reference]), ...own };
  }

  return inlineSchema(root, ['#']);
}

/** The part of a schema that remains valid without expansion. */
const summaryOf = ({ type, title, description }: Schema): Schema =>
  Object.fromEntries(Object.entries({ type, title, description }).filter(([, value]) => value !== undefined));

/** Resolves a JSON pointer in a URI fragment: https://www.rfc-editor.org/rfc/rfc6901#section-6 */
function find(root: Schema, reference: string): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  return reference
    .slice(2)
    .split('/')
    .map((step) => unescape(step))
    .reduce<unknown>(
      (node, step) =>
        typeof node === 'object' && node !== null && Object.hasOwn(node, step)
          ? memberOf(node, step)
          : undefined,
      root,
    );
}

function unescape(step: string): string {
  return percentDecoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
