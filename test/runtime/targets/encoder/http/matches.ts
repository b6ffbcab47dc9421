import { Ajv } from 'ajv';
import type { TSchema } from 'typebox';
import { expect } from 'vitest';

/** Expects a value to match the schema, and to have no key that the schema does not define. */
export function expectToMatch(value: unknown, schema: TSchema): void {
  const ajv = new Ajv({ strict: true, allErrors: true });
  const validate = ajv.compile(closed(schema));
  validate(value);
  expect(validate.errors ?? []).toEqual([]);
}

function closed(schema: unknown): TSchema {
  return JSON.parse(JSON.stringify(schema), (_key, part: unknown) =>
    isObjectSchema(part) && !('additionalProperties' in part)
      ? { ...part, additionalProperties: false }
      : part,
  ) as TSchema;
}

const isObjectSchema = (part: unknown): part is object =>
  typeof part === 'object' &&
  part !== null &&
  'type' in part &&
  part.type === 'object' &&
  'properties' in part;
