import { matchesAny } from '#core/text/name-pattern.ts';
import type { Caller, ReadableKind } from '../access/caller.ts';
import type { NameFilter, ServerSpec } from '../config/spec.ts';
import type { ListName } from '../shapes/check-list.ts';
import type { Params } from '../shapes/shape.ts';
import type { CatalogTool } from './catalog-tool.ts';

/** Whether a filter allows a name. */
export const isAllowed = ({ allow, deny }: NameFilter, name: string): boolean =>
  matchesAny(allow, name) && !matchesAny(deny, name);

/** Whether the configuration of a server allows a tool, by its own name and, with `readOnly`, by its annotations. */
export const isToolAllowed = ({ tools, readOnly }: ServerSpec, own: string, shown: Params): boolean =>
  isAllowed(tools, own) && (!readOnly || onlyReads(shown));

/** Whether the caller can get a prompt, or read the resource with a URI or URI template. */
export const canRead = (
  caller: Caller,
  { name: server, prompts, resources }: ServerSpec,
  kind: ReadableKind,
  name: string,
): boolean => isAllowed(kind === 'prompt' ? prompts : resources, name) && caller.canRead(server, kind, name);

/** Whether an item of a list is visible to the caller. */
export function canList(
  caller: Caller,
  spec: ServerSpec,
  list: Exclude<ListName, 'tools'>,
  { name, uri, uriTemplate }: Params,
): boolean {
  if (list === 'prompts') return canRead(caller, spec, 'prompt', String(name));
  return canRead(caller, spec, 'resource', String(list === 'resources' ? uri : uriTemplate));
}

/** Whether the caller can call a tool that the configuration allows. */
export const canCall = (caller: Caller, server: string, { own, shown }: CatalogTool): boolean =>
  caller.canUse(server, own) && (caller.readOnly !== true || onlyReads(shown));

/** Whether the annotations of a tool declare it read-only. */
export function onlyReads({ annotations }: Params): boolean {
  return typeof annotations === 'object' && annotations !== null && 'readOnlyHint' in annotations
    ? annotations.readOnlyHint === true
    : false;
}
