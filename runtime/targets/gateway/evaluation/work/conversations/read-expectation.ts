import { inputError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { lookup } from '#core/values/lookup.ts';
import { isOneOf } from '#core/values/is-one-of.ts';
import { containsJson, isEqualJson } from '../../metrics/calls/json-equal.ts';
import { acceptsOptions } from '../../metrics/calls/options.ts';
import { CALL_ORDERS, type ExpectedCall } from '../../metrics/calls/match-calls.ts';
import { readChecks } from './answer-checks.ts';
import { EXPECTATION_COLUMNS as NAMES, type Expectation, type ForbiddenCall } from './conversation.ts';
import { listIn, objectIn, shown, textIn } from './read-members.ts';
import { readRowSchema } from './row-schema.ts';

/** Maximum number of expected or forbidden calls in a row or turn. */
const MAX_CALLS = 100;

/**
 * Reads what a row or a turn is expected to do. `find` returns a member; undefined if it is missing. Throws an
 * InputError.
 */
export function readExpectation(find: (name: string) => unknown): Expectation {
  const [calls, order, forbidden, checks, state] = [
    NAMES.calls,
    NAMES.order,
    NAMES.forbidden,
    NAMES.checks,
    NAMES.state,
  ].map(find);
  if (order !== undefined && !isOneOf(CALL_ORDERS, order)) {
    throw inputError(`\`${NAMES.order}\` must be one of ${CALL_ORDERS.join(', ')}, not ${shown(order)}.`);
  }
  return {
    calls:
      calls === undefined
        ? undefined
        : listIn(calls, NAMES.calls, MAX_CALLS).map((call) => expectedCall(call, NAMES.calls)),
    order: order ?? 'ordered',
    forbidden:
      forbidden === undefined ? [] : listIn(forbidden, NAMES.forbidden, MAX_CALLS).map(forbiddenCall),
    checks: checks === undefined ? [] : readChecks(checks),
    state: state === undefined ? undefined : { expected: state },
  };
}

export const hasExpectation = ({ calls, forbidden, checks, state }: Expectation): boolean =>
  calls !== undefined || forbidden.length > 0 || checks.length > 0 || state !== undefined;

type Matcher = (expected: unknown) => (given: unknown) => boolean;

/** How the arguments of a call are compared with the expected ones. */
const MATCHERS = lookup<Matcher>({
  exact: (expected) => (given) => isEqualJson(given, expected),
  subset: (expected) => (given) => containsJson(given, expected),
  schema: (expected) => acceptsSchema(expected),
  options: (expected) => acceptsOptions(objectIn(expected, 'arguments')),
});

/** Reads a call such as `{"name": "search", "arguments": {"q": "x"}, "match": "subset"}`. Throws an InputError. */
export function expectedCall(value: unknown, column: string): ExpectedCall {
  const { name, arguments: expected, match } = objectIn(value, column, ['name', 'arguments', 'match']);
  const tool = textIn(name, `${column}.name`);
  if (expected === undefined) return { name: tool, accepts: () => true };
  const kind = match === undefined ? 'exact' : textIn(match, `${column}.match`);
  const matcher = MATCHERS[kind];
  if (!matcher) {
    throw inputError(
      `\`${column}.match\` must be one of ${Object.keys(MATCHERS).join(', ')}, not ${shown(match)}.`,
    );
  }
  return { name: tool, accepts: matcher(expected) };
}

const forbiddenCall = (value: unknown): ForbiddenCall =>
  typeof value === 'string'
    ? { name: textIn(value, NAMES.forbidden), accepts: () => true }
    : expectedCall(withSubset(value), NAMES.forbidden);

/** A call is also forbidden with further arguments. */
const withSubset = (value: unknown): unknown => (isObject(value) ? { match: 'subset', ...value } : value);

function acceptsSchema(schema: unknown): (given: unknown) => boolean {
  const isValid = readRowSchema(schema, 'arguments');
  return (given) => isValid(JSON.stringify(given ?? null));
}
