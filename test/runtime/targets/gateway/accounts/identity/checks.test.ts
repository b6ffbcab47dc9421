import { expect, test } from 'vitest';
import { BUDGET_FIELDS, KEY_BUDGET_FIELDS } from '#gateway/accounts/fields/budgets.ts';
import { type Field, type FieldTable, nameOf } from '#gateway/accounts/fields/field.ts';
import { ORGANIZATION_FIELDS, TEAM_FIELDS } from '#gateway/accounts/fields/groups.ts';
import { KEY_FIELDS } from '#gateway/accounts/fields/keys.ts';
import { USER_FIELDS } from '#gateway/accounts/fields/users.ts';
import { checkFields } from '#gateway/accounts/identity/checks.ts';

const TABLES: Readonly<Record<string, FieldTable>> = {
  users: USER_FIELDS,
  keys: KEY_FIELDS,
  teams: TEAM_FIELDS,
  organizations: ORGANIZATION_FIELDS,
  budgets: BUDGET_FIELDS,
  'budgets of keys': KEY_BUDGET_FIELDS,
};

/** Values that a kind of field must reject, for all ways that set it: HTTP, commands and sign-in. */
const INVALID: Partial<Record<Field['kind'], (field: Field) => unknown>> = {
  text: (field) => '😀'.repeat(limitOf(field) + 1),
  zone: (field) => 'x'.repeat(limitOf(field) + 1),
  models: () => Array(1001).fill('a'),
  rate: () => 0,
  seconds: () => 0,
  amount: () => -1n,
  metadata: () => ({ text: 'x'.repeat(20_000) }),
};
const limitOf = (field: Field): number => ('maxLength' in field ? field.maxLength : undefined) ?? 256;

const cases = Object.entries(TABLES).flatMap(([table, fields]) =>
  Object.entries(fields).flatMap(([name, field]) => {
    const invalid = INVALID[field.kind];
    return invalid && field.settable !== 'never'
      ? [{ table, name, field, fields, value: invalid(field) }]
      : [];
  }),
);

test('every table has fields whose values are checked', () => {
  expect(new Set(cases.map(({ table }) => table)).size).toBe(Object.keys(TABLES).length);
});

test.each(cases)('$table: an invalid $name is rejected', ({ name, field, fields, value }) => {
  expect(() => checkFields(fields, { [nameOf(name, field)]: value })).toThrow(
    expect.objectContaining({ code: 'InputError', message: expect.stringContaining(name) }),
  );
});

test('length limits count Unicode characters, not UTF-16 code units', () => {
  expect(() => checkFields(USER_FIELDS, { alias: '😀'.repeat(256) })).not.toThrow();
});

test('a label of a server must be one that the configuration can have', () => {
  expect(() => checkFields(KEY_FIELDS, { tools: ['desk', 'Desk-2_b'] })).not.toThrow();
  for (const label of ['écho', 'a b', '2desk', 'x'.repeat(33)])
    expect(() => checkFields(KEY_FIELDS, { tools: ['desk', label] })).toThrow(
      `tools: ${JSON.stringify(label)} is not the label of an MCP server: a label must consist of at most 32 letters, digits, \`-\` and \`_\`, and begin with a letter.`,
    );
});

test('a model pattern can have at most 256 characters', () => {
  const patterns = (length: number) => ({ allowedModels: ['x'.repeat(length)] });
  expect(() => checkFields(KEY_FIELDS, patterns(256))).not.toThrow();
  expect(() => checkFields(KEY_FIELDS, patterns(257))).toThrow('allowed_models has 257 characters');
});
