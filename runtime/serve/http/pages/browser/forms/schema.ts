/** A JSON schema of draft 7 to 2020-12. */
export interface Schema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly contentMediaType?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
}

/** Reads and validates the value of a field. `path` identifies the field to which a problem belongs. */
export interface Field {
  readonly node: HTMLElement;
  /** An undefined value is omitted. */
  readonly read: () => { value: unknown } | { problem: string };
  /**
   * Reads the value and returns whether it is valid. If it is invalid, the problem is shown next to
   * the field.
   */
  readonly check: () => boolean;
  readonly focus: () => void;
}

export interface FieldOptions {
  /** The whole document, for `$ref`. */
  readonly root: Schema;
  readonly schema: Schema;
  readonly name: string;
  readonly isRequired: boolean;
  readonly value: unknown;
  readonly depth: number;
  /** Whether the fields of an object are shown without a frame, because they are already inside one. */
  readonly isFlat?: boolean;
}

/**
 * Resolves a `$ref` within the document. For references to other documents and circular references,
 * returns an empty schema.
 */
export function resolve(root: Schema, schema: Schema): Schema {
  let own = schema;
  for (let depth = 0; typeof own?.$ref === 'string'; depth++) {
    if (!own.$ref.startsWith('#') || depth > 20) return {};
    const { $ref, ...beside } = own;
    own = { ...(atPointer(root, $ref) as Schema | undefined), ...beside };
  }
  return withoutNull(own ?? {});
}

/** The target of a reference within a document. */
export const atPointer = (root: unknown, ref: string): unknown =>
  ref
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (node, step) =>
        (node as Record<string, unknown> | null | undefined)?.[
          decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
        ],
      root,
    );

/** A field for a nullable value can be left empty. */
function withoutNull(schema: Schema): Schema {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== 'null');
    const [only] = types;
    return only !== undefined && types.length === 1 ? { ...schema, type: only } : { ...schema, type: types };
  }
  for (const name of ['anyOf', 'oneOf'] as const) {
    const all = schema[name];
    if (!Array.isArray(all)) continue;
    const rest = all.filter((one) => one?.type !== 'null');
    const { [name]: _removed, ...beside } = schema;
    if (rest.length === 1) return { ...rest[0], ...beside };
    if (rest.length < all.length) return { ...beside, [name]: rest };
  }
  return schema;
}

/**
 * Returns the values of an enum, which can also be written as alternatives that are constants;
 * undefined for other schemas.
 */
export function enumOf(schema: Schema): unknown[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum.filter((value) => value !== null);
  const all = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(all) || all.length === 0) return undefined;
  return all.every((one) => one?.const !== undefined) ? all.map((one) => one.const) : undefined;
}
