import { isObject } from '#core/json/is-object.ts';
import type { ApiOperation, ApiParameter, Schema } from './plan.ts';

/** Names of result members with the start of the next page, and of the parameters that take it. */
const CURSORS: readonly (readonly [members: readonly string[], parameters: readonly string[]])[] = [
  [
    ['next_page_token', 'nextPageToken', 'nextToken', 'next_token', 'NextToken'],
    ['page_token', 'pageToken', 'next_page_token', 'nextPageToken', 'nextToken', 'next_token', 'NextToken'],
  ],
  [
    ['next_cursor', 'nextCursor', 'cursor', 'end_cursor', 'endCursor', 'last_id'],
    ['cursor', 'next_cursor', 'nextCursor', 'after', 'starting_after'],
  ],
];

/** Returns how to request the next page, if the names of parameters and result members suggest it. */
export function pageHint(
  parameters: readonly ApiParameter[],
  output: Schema | undefined,
): string | undefined {
  const members = propertiesOf(output);
  const nested = Object.values(members).flatMap((member) =>
    isObject(member) ? Object.keys(propertiesOf(member)) : [],
  );
  const names = new Set([...Object.keys(members), ...nested]);
  for (const [results, wanted] of CURSORS) {
    const parameter = parameters.find(({ name, in: place }) => place === 'query' && wanted.includes(name));
    const member = results.find((name) => names.has(name));
    if (parameter && member !== undefined && parameter.fixed === undefined)
      return `To get the next page, pass \`${member}\` of the result as \`${parameter.argument}\`.`;
  }
  return undefined;
}

const propertiesOf = (schema: Schema | undefined): Schema =>
  isObject(schema?.['properties']) ? schema['properties'] : {};

/**
 * Returns the arguments that request the URL of a next page: those of its query that are arguments of the operation.
 * Undefined if the URL belongs to another operation.
 */
export function nextPageArguments(
  link: string,
  requested: URL,
  { parameters }: ApiOperation,
): Readonly<Record<string, string>> | undefined {
  const next = URL.parse(link, requested);
  if (!next || next.origin !== requested.origin) return undefined;
  const changed = [...next.searchParams].flatMap(([name, value]) => {
    const parameter = parameters.find(
      (one) => one.in === 'query' && one.name === name && one.fixed === undefined,
    );
    if (!parameter || requested.searchParams.get(name) === value) return [];
    return [[parameter.argument, value] as const];
  });
  return changed.length > 0 ? Object.fromEntries(changed) : undefined;
}
