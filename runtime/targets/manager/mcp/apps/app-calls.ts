import { AppError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { APP_KEY } from './app-key.ts';
import type { McpCall } from '../mcp-call.ts';

/**
 * Whether a call comes from an app. Throws if the app belongs to another server: the relay only sends calls to its own
 * server, so such a call was not made by the relay.
 */
export function isAppCall({ params }: McpCall, server: string): boolean {
  const { _meta: meta } = params;
  if (!isObject(meta) || meta[APP_KEY] === undefined) return false;
  if (meta[APP_KEY] === server) return true;
  throw new AppError(
    'ForbiddenError',
    `tool not allowed: apps can only call tools of their own server, not of ${server}`,
  );
}
