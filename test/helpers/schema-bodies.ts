interface Schema {
  readonly $ref?: string;
  readonly title?: string;
  readonly type?: string;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly minProperties?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
}

export interface SchemaDocument {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Values for leaves that a schema cannot describe. */
export interface Leaves {
  readonly text: string;
  /** The value of strings with the title `an image`. */
  readonly image: string;
  /** A list of token IDs that the model accepts. */
  readonly ids: readonly number[];
}

type Body = Readonly<Record<string, unknown>>;

/** Generates request bodies from the schemas of a document. */
export function schemaBodies({ components }: SchemaDocument, { text, image, ids }: Leaves) {
  const resolve = (schema: Schema): Schema =>
    schema.$ref ? resolve(components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema;

  /** Every value that a schema lists or bounds, and one value for each alternative. */
  const valuesOf = (reference: Schema): unknown[] => {
    const schema = resolve(reference);
    const { nullable, type, items, minItems = 0, maxItems = Infinity } = schema;
    const none = nullable ? [null] : [];
    if (schema.enum) return [...schema.enum];
    if (schema.anyOf && !schema.properties) return schema.anyOf.flatMap(valuesOf);
    if (type === 'boolean') return [true, false, ...none];
    if (type === 'string' && schema.title === 'an image') return [image, ...none];
    if (type === 'string') return [schema.pattern === undefined ? text : schema.default, ...none];
    if (type === 'integer' || type === 'number') return [...numbersOf(schema), ...none];
    if (type === 'array' && items) {
      if (resolve(items).type === 'integer') return [ids, ...none];
      const length = Math.max(minItems, 1);
      const lists = valuesOf(items).map((value) => Array.from({ length }, () => value));
      const longest = maxItems <= 10 ? [Array.from({ length: maxItems }, () => valuesOf(items)[0])] : [];
      return [...lists, ...longest, ...none];
    }
    if (schema.properties) return [...bodiesOf(schema), ...none];
    if (type === 'object') return [{ key: text }, ...none];
    throw new Error(`no value for ${JSON.stringify(schema)}`);
  };
  const numbersOf = ({ exclusiveMinimum = -1, minimum = exclusiveMinimum + 1, maximum }: Schema): number[] =>
    maximum === undefined ? [minimum, minimum + 7] : [minimum, maximum];

  /** One body with only the required fields, one for each value of each field, and one with the first value of all fields. */
  const bodiesOf = (schema: Schema): Body[] =>
    combinationsOf(schema).flatMap((names) => {
      const properties = Object.entries(schema.properties ?? {});
      const first = (wanted: (name: string) => boolean): Body =>
        Object.fromEntries(
          properties.filter(([name]) => wanted(name)).map(([name, member]) => [name, valuesOf(member)[0]]),
        );
      const least = first((name) => names.includes(name));
      const each = properties.flatMap(([name, member]) =>
        valuesOf(member).map((value) => ({ ...least, [name]: value })),
      );
      return [least, ...each, first(() => true)];
    });
  /** The fields that are required together. */
  const combinationsOf = (schema: Schema): readonly (readonly string[])[] => {
    const { required = [], anyOf = [], minProperties, properties = {} } = schema;
    if (minProperties === 1) return Object.keys(properties).map((name) => [name]);
    const alternatives = anyOf.flatMap((one) => (one.required ? [[...required, ...one.required]] : []));
    return alternatives.length > 0 ? alternatives : [required];
  };

  return {
    /** The objects that a schema consists of: itself, or its alternatives. */
    objectsOf: (schema: Schema): Schema[] => {
      const own = resolve(schema);
      return own.properties ? [own] : (own.anyOf ?? []).map(resolve);
    },
    bodiesOf,
  };
}
