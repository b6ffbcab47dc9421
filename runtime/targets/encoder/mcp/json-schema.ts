import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { documentedKeywords } from '#serve/http/documented.ts';
import { MESSAGE_KEYWORD } from '#serve/http/explain-problems.ts';

/**
 * Converts a schema of the HTTP API to plain JSON Schema for MCP clients: without custom keywords, without `$id`, which clients
 * would take for a URL, and with OpenAPI's `nullable` as a type. APIs of assistants refuse tools with alternatives at the top
 * level.
 */
export function jsonSchema(schema: object): Tool['inputSchema'] {
  const revive = (_key: string, value: unknown): unknown => (isObject(value) ? plain(value) : value);
  const { anyOf: _, ...rest } = parseJsonText(JSON.stringify(schema), revive) as Tool['inputSchema'];
  return rest;
}

/** Undefined, which removes it, if documents leave the schema out. */
function plain(value: Readonly<Record<string, unknown>>): object | undefined {
  const own = documentedKeywords(value);
  if (own === undefined) return undefined;
  const { nullable, ...schema } = own;
  const entries = Object.entries(schema).filter(([key]) => key !== '$id' && key !== MESSAGE_KEYWORD);
  return { ...Object.fromEntries(entries), ...(nullable === true ? { type: [schema['type'], 'null'] } : {}) };
}
