import type { Context } from 'hono';
import type { TSchema } from 'typebox';
import { membersOf } from '#core/json/members-of.ts';
import type { BaseAddress } from '#serve/http/own-address.ts';

/** Responds with an object and the URL of its schema, as the first member `$schema` and in the `Link` header. */
export type StructAnswer = (c: Context, type: string, members: object) => Response;

export const schemaPath = (type: string): string => `/schemas/${type}.json`;

export const createStructAnswer =
  (baseAddress: BaseAddress): StructAnswer =>
  (c, type, members) => {
    const path = schemaPath(type);
    c.header('Link', `<${path}>; rel="describedBy"`);
    return jsonAnswer(c, { $schema: baseAddress(c) + path, ...members });
  };

/** Responds with JSON. The media type has no charset, because JSON does not define one. */
function jsonAnswer(c: Context, value: unknown, mediaType = 'application/json'): Response {
  c.header('Content-Type', mediaType);
  return c.body(JSON.stringify(value));
}

/**
 * Returns the function that responds with values of a schema: objects get the URL of their schema, other
 * values are sent as is.
 */
export const respondWith =
  (answer: StructAnswer) =>
  (schema: TSchema): ((c: Context, value: object) => Response) => {
    const { $id: type, properties } = membersOf(schema);
    const isStruct = typeof type === 'string' && '$schema' in membersOf(properties);
    return (c, value) => (isStruct ? answer(c, type, value) : jsonAnswer(c, value));
  };
