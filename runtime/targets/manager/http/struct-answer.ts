import type { Context } from 'hono';
import type { BaseAddress } from '#serve/http/own-address.ts';

/** Responds with an object and the URL of its schema, in its first member `$schema` and in the header `Link`. */
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
export function jsonAnswer(c: Context, value: unknown, mediaType = 'application/json'): Response {
  c.header('Content-Type', mediaType);
  return c.body(JSON.stringify(value));
}
