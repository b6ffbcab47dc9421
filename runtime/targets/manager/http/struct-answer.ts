import type { Context } from 'hono';
import type { BaseAddress } from './base-address.ts';

/** Answers with an object that names its schema: in `$schema`, its first member, and in the header `Link`. */
export type StructAnswer = (c: Context, type: string, members: object) => Response;

export const schemaPath = (type: string): string => `/schemas/${type}.json`;

export const createStructAnswer =
  (baseAddress: BaseAddress): StructAnswer =>
  (c, type, members) => {
    const path = schemaPath(type);
    c.header('Link', `<${path}>; rel="describedBy"`);
    return jsonAnswer(c, { $schema: baseAddress(c) + path, ...members });
  };

/** The media type stands alone: JSON has no charset. */
export function jsonAnswer(c: Context, value: unknown, mediaType = 'application/json'): Response {
  c.header('Content-Type', mediaType);
  return c.body(JSON.stringify(value));
}
