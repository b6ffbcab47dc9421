import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { parseJsonText } from '../../../core/json/json-text.ts';
import { MESSAGE_KEYWORD } from '../../../serve/http/explain-problems.ts';

/**
 * Converts a schema of the HTTP API to plain JSON Schema for MCP clients: without custom keywords, without `$id`, which clients
 * would take for a URL, and with OpenAPI's `nullable` as a type.
 */
export function jsonSchema(schema: object): Tool['inputSchema'] {
  const revive = (_key: string, value: unknown): unknown => (isSchema(value) ? plain(value) : value);
  return parseJsonText(JSON.stringify(schema), revive) as Tool['inputSchema'];
}

interface Schema {
  readonly type?: string;
  readonly nullable?: boolean;
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function plain({ nullable, ...schema }: Schema): object {
  const entries = Object.entries(schema).filter(([key]) => key !== '$id' && key !== MESSAGE_KEYWORD);
  return { ...Object.fromEntries(entries), ...(nullable ? { type: [schema.type, 'null'] } : {}) };
}
