import type { Context } from 'hono';
import { wordIn } from '#serve/http/query.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { oneOf } from '#serve/http/schemas.ts';
import { type Order, orderOf, orderWords } from '../../shared/order.ts';
import { PAGE_PARAMETERS } from './page.ts';
import { refuseUnknownParameters } from './unknown-parameters.ts';

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

/** Refuses parameters that the description of a list does not have. */
export const refuseOthers = (c: Context, parameters: Parameters): void =>
  refuseUnknownParameters(
    c,
    [...parameters, ...PAGE_PARAMETERS].map(({ name }) => name),
  );
