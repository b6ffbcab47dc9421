import { expect, test } from 'vitest';
import { typeText } from '#serve/http/docs-page/browser/docs/schema.ts';

const api = { components: { schemas: { Name: { type: 'string', minLength: 1 } } } };
const NAME = { $ref: '#/components/schemas/Name' };

test.each<[schema: object, text: string]>([
  [{ type: 'string' }, 'string'],
  [{ type: 'string', nullable: true }, 'string or null'],
  [{ type: ['string', 'null'] }, 'string or null'],
  [{ type: ['string', 'integer'] }, 'string or integer'],
  [{ type: ['array', 'null'], items: NAME, maxItems: 3 }, 'array of string or null, at most 3 items'],
  [{ type: ['array', 'null'], items: { type: ['string', 'null'] } }, 'array of (string or null) or null'],
  [{ type: 'object', additionalProperties: NAME }, 'object of string'],
  [{ type: 'object', additionalProperties: true }, 'object'],
  [{ type: 'object', additionalProperties: false }, 'object'],
  [{ description: 'anything' }, 'anything'],
  [{ const: 'x' }, '"x"'],
  [{ type: 'string', enum: ['a', 'b'], default: 'a' }, '"a" or "b", default "a"'],
  [{ anyOf: [NAME, { type: 'null' }] }, 'string or null'],
])('%j is summarized as "%s"', (schema, text) => {
  expect(typeText(api, schema)).toBe(text);
});
