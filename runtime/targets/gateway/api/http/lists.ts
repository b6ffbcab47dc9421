import type { Context } from 'hono';
import { type TSchema, Type } from 'typebox';
import { AppError } from '#contract/errors.ts';
import { didYouMean } from '#core/text/suggest.ts';
import { wholeNumber, answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { wholeNumberOf, wordIn } from '#serve/http/query.ts';
import { oneOf } from '#serve/http/schemas.ts';
import { type Order, orderOf, orderWords } from '../../shared/order.ts';
import type { Page } from '../../store/page.ts';
import type { Search } from '../../store/search.ts';

/** Formats of lists that are also tables. */
export const FORMATS = ['json', 'csv'] as const;

const SKIP = { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 };
const LIMIT = { min: 1, max: 1000, fallback: 100 };

/** Reads the requested page of a list. Throws an InputError. */
export const pageOf = (c: Context): Page => ({
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
  /** Parameters of the path, and filters. */
  readonly parameters?: NonNullable<Operation['parameters']>;
}

/** The parts of a route that answers with a page of a list, read with `skip` and `limit`. */
export const pageOfList = <Schema extends TSchema>({
  schema,
  example,
  parameters = [],
}: ListOptions<Schema>) => ({
  parameters: [...parameters, ...PAGE_PARAMETERS],
  answer: answerOf('A page of the list.', schema, example),
});

/** Unknown parameters are rejected, because a misspelled filter would be ignored and return wrong results. */
export function refuseUnknownParameters(c: Context, known: readonly string[]): void {
  for (const name of new URL(c.req.url).searchParams.keys()) {
    if (known.includes(name)) continue;
    const shown = name.slice(0, 64);
    const message = `unknown parameter ${JSON.stringify(shown)}${didYouMean(shown, known)}`;
    throw new AppError('InputError', message, { details: [{ location: `query.${shown}`, message }] });
  }
}

type Parameters = NonNullable<Operation['parameters']>;

/** Describes a filter of a list. */
export const filterParameter = (
  name: string,
  description: string,
  example: string,
  words?: readonly string[],
): Parameters[number] => ({
  name,
  in: 'query',
  description,
  example,
  ...(words === undefined ? {} : { schema: oneOf(words) }),
});

/** Describes the order of a list. */
export const orderParameter = (names: readonly string[], example: string): Parameters[number] =>
  filterParameter(
    'sort',
    'Field to sort by, with `-` for descending order. Items without a value are last. Default: the order of creation.',
    example,
    orderWords(names),
  );

/** Reads a filter; undefined if it is not set or empty. */
export const filterIn = (c: Context, name: string): string | undefined => c.req.query(name) || undefined;

/** Reads a filter with a fixed set of values. */
export function wordFilterIn<const Word extends string>(
  c: Context,
  name: string,
  words: readonly [Word, ...Word[]],
): Word | undefined {
  const given = filterIn(c, name);
  return given === undefined ? undefined : wordIn(given, name, words, words[0]);
}

/** Reads the order. Throws an InputError for a field that the list is not sorted by. */
export function orderIn<Name extends string>(c: Context, names: readonly Name[]): Order<Name> | undefined {
  const [first = '', ...others] = orderWords(names);
  return orderOf(wordFilterIn(c, 'sort', [first, ...others]), names);
}

/** Rejects parameters that the description of a list does not have. */
export const refuseOthers = (c: Context, parameters: Parameters): void =>
  refuseUnknownParameters(
    c,
    [...parameters, ...PAGE_PARAMETERS].map(({ name }) => name),
  );

/** Tags of a dataset, an experiment or a workflow. */
export const tags = Type.Array(
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^[^"]+$',
    description: 'A text without quotation marks.',
  }),
  { maxItems: 50, uniqueItems: true, description: 'Tags, for searches.' },
);

/** Reads the search of a list. */
export const searchOf = (c: Context): Search => ({
  text: c.req.query('search') || undefined,
  tags: c.req.queries('tag')?.filter((tag) => tag !== ''),
});

export const SEARCH_PARAMETERS: NonNullable<Operation['parameters']> = [
  {
    name: 'search',
    in: 'query',
    description: 'Only those whose name or description contains this text, in any case.',
    example: 'reviews',
  },
  {
    name: 'tag',
    in: 'query',
    isList: true,
    description: 'Only those with this tag. If it is repeated, those with all of the tags.',
    example: 'release',
  },
];
