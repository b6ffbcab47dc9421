import { isObject } from '#core/json/is-object.ts';
import { encodeHeader } from '#serve/mcp/stateless-request.ts';
import type { ShapeOfParams } from '../../shapes/shape.ts';
import { memberOf } from '#core/values/member-of.ts';
import { membersOf } from '#core/json/members-of.ts';

/** The tool arguments that a server also requires in headers, according to its tool list. */
export interface ParameterHeaders {
  /**
   * Stores the declarations of a page of `tools/list`; returns the page without tools whose declarations are
   * invalid.
   */
  readonly learn: (page: ShapeOfParams) => ShapeOfParams;
  /** Returns the headers for the parameters of a `tools/call`. */
  readonly headersFor: (params: ShapeOfParams | undefined) => Record<string, string>;
}

interface Declared {
  readonly header: unknown;
  readonly type: unknown;
  readonly path: readonly string[];
}

const ANNOTATION = 'x-mcp-header';
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/** @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters */
export function createParameterHeaders(onLog: (line: string) => void): ParameterHeaders {
  const known = new Map<unknown, readonly Declared[]>();
  const keep = (tool: unknown): boolean => {
    // A malformed tool has no annotations; it is omitted when the list is checked.
    if (!isObject(tool)) return true;
    const declared = declaredIn(tool['inputSchema']);
    const isValid = followsRules(declared, tool['inputSchema']);
    if (isValid) known.set(tool['name'], declared);
    else onLog(`The tool ${String(tool['name'])} is omitted: its ${ANNOTATION} annotations are invalid.`);
    return isValid;
  };
  return {
    learn: (page) => (Array.isArray(page['tools']) ? { ...page, tools: page['tools'].filter(keep) } : page),
    headersFor(params) {
      const declared = known.get(params?.['name']) ?? [];
      const values = declared.map(
        ({ header, path }) => [header, asText(at(params?.['arguments'], path))] as const,
      );
      return Object.fromEntries(
        values.flatMap(([header, value]) =>
          value === undefined ? [] : [[`mcp-param-${String(header).toLowerCase()}`, encodeHeader(value)]],
        ),
      );
    },
  };
}

/** Returns a schema's annotations. They are only valid on properties, including nested ones. */
function declaredIn(schema: unknown, path: readonly string[] = []): Declared[] {
  return Object.entries(membersOf(memberOf(schema, 'properties'))).flatMap(([name, property]) => {
    const header = memberOf(property, ANNOTATION);
    const here = [...path, name];
    const own = header === undefined ? [] : [{ header, type: memberOf(property, 'type'), path: here }];
    return [...own, ...declaredIn(property, here)];
  });
}

function followsRules(declared: readonly Declared[], schema: unknown): boolean {
  const everywhere = JSON.stringify(schema ?? {}).split(`"${ANNOTATION}":"`).length - 1;
  const names = new Set(declared.map(({ header }) => String(header).toLowerCase()));
  return (
    everywhere === declared.length &&
    names.size === declared.length &&
    declared.every(
      ({ header, type }) =>
        TOKEN.test(String(header)) && ['string', 'integer', 'boolean'].includes(String(type)),
    )
  );
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((found, key) => memberOf(found, key), value);
}

function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' || Number.isSafeInteger(value) ? String(value) : undefined;
}
