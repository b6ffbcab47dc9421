import type { Context } from 'hono';
import { type TSchema, Type } from 'typebox';
import { AppError } from '#contract/errors.ts';
import { didYouMean } from '#core/text/suggest.ts';
import { wholeNumber, answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { wholeNumberOf, wordIn } from '#serve/http/query.ts';
import { oneOf } from '#serve/http/schemas.ts';
import { type Camel, camelOf } from '../../accounts/fields/field.ts';
import { type Order, orderOf, orderWords } from '../../shared/order.ts';
import type { ListPage } from '../../store/page.ts';
import type { Search } from '../../store/search.ts';

/** Formats of lists that are also available as tables. */
export const FORMATS = ['json', 'csv'] as const;

const SKIP = { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 };
const LIMIT = { min: 1, max: 1000, fallback: 100 };

/** Parses the requested page of a list. Throws an InputError. */
export const pageOf = (c: Context): ListPage => ({
  skip: wholeNumberOf(c, 'skip', SKIP),
  limit: wholeNumberOf(c, 'limit', LIMIT),
});

export const PAGE_PARAMETERS: NonNullable<Operation['parameters']> = [
  {
    name: 'skip',
    in: 'query',
    description: 'Number of items to skip.',
    example: SKIP.fallback,
    schema: wholeNumber(SKIP.min, SKIP.max, SKIP.fallback),
  },
  {
    name: 'limit',
    in: 'query',
    description: 'Maximum number of items.',
    example: LIMIT.fallback,
    schema: wholeNumber(LIMIT.min, LIMIT.max, LIMIT.fallback),
  },
];

interface ListOptions<Schema extends TSchema> {
  readonly schema: Schema;
  readonly example: unknown;
  /** The path parameters and the filters of the list. */
  readonly parameters?: NonNullable<Operation['parameters']>;
}

/** The parts of a route that responds with a page of a list, selected by `skip` and `limit`. */
export const pageOfList = <Schema extends TSchema>({
  schema,
  example,
  parameters = [],
}: ListOptions<Schema>) => ({
  parameters: [...parameters, ...PAGE_PARAMETERS],
  answer: answerOf('A page of the list.', schema, example),
});

/**
 * Unknown parameters are rejected, because a misspelled filter would otherwise be ignored, which would
 * return the wrong items.
 */
export function refuseUnknownParameters(c: Context, known: readonly string[]): void {
  for (const name of new URL(c.req.url).searchParams.keys()) {
    if (known.includes(name)) continue;
    const shown = name.slice(0, 64);
    const message = `unknown parameter ${JSON.stringify(shown)}${didYouMean(shown, known)}`;
    throw new AppError('InputError', message, { details: [{ location: `query.${shown}`, message }] });
  }
}

/** A list filter. */
interface Filter {
  readonly description: string;
  readonly example: string;
  /** The allowed values. */
  readonly words?: readonly string[];
}

type FiltersOf<Filters, Name> = {
  readonly [Key in keyof Filters as Camel<Key & string>]: Filters[Key] extends {
    readonly words: readonly (infer Word)[];
  }
    ? Word | undefined
    : string | undefined;
} & { readonly order: Order<Name & string> | undefined };

/**
 * The parameters of a list with filters and a sort order, and functions that parse the parameters. Both are
 * keyed by name in camel case.
 */
export function listQuery<const Filters extends Readonly<Record<string, Filter>>, const Name extends string>(
  filters: Filters,
  sort: { readonly orders: readonly Name[]; readonly example: string },
): {
  readonly parameters: NonNullable<Operation['parameters']>;
  /**
   * Throws an InputError for an unknown parameter, because a misspelled filter would otherwise be ignored,
   * which would return the wrong items.
   */
  readonly read: (c: Context) => FiltersOf<Filters, Name>;
} {
  const all: readonly (readonly [string, Filter])[] = [
    ...Object.entries(filters),
    [
      'sort',
      {
        description:
          'Field to sort by, with `-` for descending order. Items without a value come last. Default: creation order.',
        example: sort.example,
        words: orderWords(sort.orders),
      },
    ],
  ];
  const names = [...all.map(([name]) => name), ...PAGE_PARAMETERS.map(({ name }) => name)];
  return {
    parameters: all.map(([name, { description, example, words }]) => ({
      name,
      in: 'query',
      description,
      example,
      ...(words === undefined ? {} : { schema: oneOf(words) }),
    })),
    read(c) {
      refuseUnknownParameters(c, names);
      const values = Object.fromEntries(
        all.map(([name, filter]) => [camelOf(name), readFilter(c, name, filter)]),
      );
      return { ...values, order: orderOf(values['sort'], sort.orders) } as FiltersOf<Filters, Name>;
    },
  };
}

/** Parses a filter; undefined if it is missing or empty. */
function readFilter(c: Context, name: string, { words }: Filter): string | undefined {
  const value = c.req.query(name) || undefined;
  const [first, ...others] = words ?? [];
  return value === undefined || first === undefined ? value : wordIn(value, name, [first, ...others], first);
}

/** Tags of a dataset, experiment or workflow. */
export const tags = Type.Array(
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^[^"]+$',
    description: 'A tag without quotation marks.',
  }),
  { maxItems: 50, uniqueItems: true, description: 'Tags for searching.' },
);

/** Parses a list's search parameters. */
export const searchOf = (c: Context): Search => ({
  text: c.req.query('search') || undefined,
  tags: c.req.queries('tag')?.filter((tag) => tag !== ''),
});

export const SEARCH_PARAMETERS: NonNullable<Operation['parameters']> = [
  {
    name: 'search',
    in: 'query',
    description: 'Only items whose name or description contains this text, case-insensitively.',
    example: 'reviews',
  },
  {
    name: 'tag',
    in: 'query',
    isList: true,
    description: 'Only items with this tag. If repeated, only items with all of these tags.',
    example: 'release',
  },
];
