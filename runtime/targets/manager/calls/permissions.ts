import { matchesAny } from '../../../core/text/name-pattern.ts';
import type { Caller, ReadableKind } from '../access/caller.ts';
import type { NameFilter, ServerSpec } from '../config/spec.ts';
import type { ListName } from '../shapes/check-list.ts';
import type { Params } from '../shapes/shape.ts';

/** Whether a filter allows a name. */
export const isAllowed = ({ allow, deny }: NameFilter, name: string): boolean =>
  matchesAny(allow, name) && !matchesAny(deny, name);

/** Whether the configuration of a server allows a tool, by its name and, with `readOnly`, by its annotations. */
export function isToolAllowed(
  { tools, readOnly }: ServerSpec,
  tool: Params & { readonly name: string },
): boolean {
  return isAllowed(tools, tool.name) && (!readOnly || onlyReads(tool));
}

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
export const canCall = (caller: Caller, server: string, tool: Params & { readonly name: string }): boolean =>
  caller.canUse(server, tool.name) && (caller.readOnly !== true || onlyReads(tool));

/** Whether the annotations of a tool declare it read-only. */
function onlyReads({ annotations }: Params): boolean {
  return typeof annotations === 'object' && annotations !== null && 'readOnlyHint' in annotations
    ? annotations.readOnlyHint === true
    : false;
}
