import { isObject } from '#core/json/is-object.ts';
import type { Json } from '../../shapes/chat.ts';
import { isAbsent, objectAt, objectsAt } from '../request-members.ts';

// Google's APIs read names in camel case and in snake case.

/** A member under either spelling of its name, which is given in camel case. */
export const memberIn = (json: Json, name: string): unknown => json[name] ?? json[snakeCase(name)];

/** An optional object; empty if it is absent. */
export function objectIn(json: Json, name: string, place: string): Json {
  const value = memberIn(json, name);
  return isAbsent(value) ? {} : objectAt(value, `${place}${name}`);
}

export const objectsIn = (json: Json, name: string, place: string): readonly Json[] =>
  objectsAt(memberIn(json, name), `${place}${name}`);

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A JSON schema from the schema of Google's API, which has types in capital letters and `nullable`. */
export function jsonSchemaOf(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(jsonSchemaOf);
  if (!isObject(schema)) return schema;
  const { type, nullable, propertyOrdering: _order, property_ordering: _other, ...rest } = schema;
  const properties = isObject(rest['properties'])
    ? Object.fromEntries(Object.entries(rest['properties']).map(([name, one]) => [name, jsonSchemaOf(one)]))
    : undefined;
  const members = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [
      name === 'any_of' ? 'anyOf' : name,
      LITERALS.has(name) ? value : jsonSchemaOf(value),
    ]),
  );
  const kind = typeof type === 'string' ? type.toLowerCase() : type;
  return {
    ...(kind !== undefined && { type: nullable === true ? [kind, 'null'] : kind }),
    ...members,
    ...(properties && { properties }),
  };
}

/** Members whose values are data and not schemas. */
const LITERALS = new Set(['enum', 'default', 'example', 'required']);
