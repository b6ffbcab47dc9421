import { isObject } from '#core/json/is-object.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';

/** MCP Apps: tools with pages that the client shows. */
export const APPS_EXTENSION = 'io.modelcontextprotocol/ui';

/** Tasks: calls whose results are requested later. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** The extensions that are passed on if a server's configuration does not list any. */
export const DEFAULT_EXTENSIONS: readonly string[] = [APPS_EXTENSION, TASKS_EXTENSION];

/** What the manager announces to servers in the handshake for an extension, before any client is known. */
const ANNOUNCED: ReadonlyMap<string, ShapeOfParams> = new Map([
  [APPS_EXTENSION, { mimeTypes: ['text/html;profile=mcp-app'] }],
]);

/**
 * Returns the client extensions that are announced to a server in the handshake. Tasks are not: a server could then return
 * a task for any call, although not all clients support them.
 */
export const announcedExtensions = (allowed: readonly string[]): ShapeOfParams =>
  Object.fromEntries(
    allowed.filter((name) => name !== TASKS_EXTENSION).map((name) => [name, ANNOUNCED.get(name) ?? {}]),
  );

/** Returns the declared extensions that are allowed. */
export const allowedExtensions = (extensions: unknown, allowed: readonly string[]): ShapeOfParams =>
  Object.fromEntries(
    Object.entries(membersOf(extensions)).filter(
      ([name, settings]) => allowed.includes(name) && isObject(settings),
    ),
  );

/** Whether a client declares that it supports MCP Apps. */
export const supportsApps = (capabilities: ShapeOfParams | undefined): boolean =>
  isObject(membersOf(capabilities?.['extensions'])[APPS_EXTENSION]);
