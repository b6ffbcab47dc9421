import { isObject } from '#core/json/is-object.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';

/** Who can use a tool: the language model, or the tool's own app in the client (MCP Apps). */
export type ToolUser = 'model' | 'app';

/**
 * Whether a tool is intended for a user, according to `_meta.ui.visibility`. Both can use a tool without it.
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx
 */
export function isVisibleTo({ _meta: meta }: ShapeOfParams, user: ToolUser): boolean {
  if (!isObject(meta)) return true;
  const { visibility } = membersOf(meta['ui']);
  return !Array.isArray(visibility) || visibility.includes(user);
}

/** Keys of `_meta` that refer to an app: of MCP Apps, with its deprecated form, and of the OpenAI Apps SDK. */
const APP_KEYS = ['ui', 'ui/resourceUri', 'openai/outputTemplate', 'openai/widgetAccessible'];

/** Returns a tool without references to apps, for servers whose apps are not passed on. */
export function withoutApp<Tool extends ShapeOfParams>(tool: Tool): Tool {
  const { _meta: meta, ...others } = tool;
  if (!isObject(meta) || !APP_KEYS.some((key) => Object.hasOwn(meta, key))) return tool;
  const own = Object.entries(meta).filter(([key]) => !APP_KEYS.includes(key));
  return { ...others, ...(own.length > 0 && { _meta: Object.fromEntries(own) }) } as unknown as Tool;
}
