import { matchesAny } from '../../../core/text/name-pattern.ts';
import type { Caller, ReadableKind } from '../access/caller.ts';
import type { NameFilter, ServerSpec } from '../config/spec.ts';
import type { ListName } from '../shapes/check-list.ts';
import type { Params } from '../shapes/shape.ts';

/** Whether something of this name is offered. */
export const isOffered = ({ allow, deny }: NameFilter, name: string): boolean =>
  matchesAny(allow, name) && !matchesAny(deny, name);

/** Whether a tool is offered: by its name, and by what it says of itself where only reading is allowed. */
export function isToolOffered(
  { tools, readOnly }: ServerSpec,
  tool: Params & { readonly name: string },
): boolean {
  return isOffered(tools, tool.name) && (!readOnly || onlyReads(tool));
}

/** Whether the caller may get this prompt, or read the resource of this URI or URI template. */
export const mayRead = (
  caller: Caller,
  { name: server, prompts, resources }: ServerSpec,
  kind: ReadableKind,
  name: string,
): boolean => isOffered(kind === 'prompt' ? prompts : resources, name) && caller.mayRead(server, kind, name);

/** The same for an item of a list. */
export function mayList(
  caller: Caller,
  spec: ServerSpec,
  list: Exclude<ListName, 'tools'>,
  { name, uri, uriTemplate }: Params,
): boolean {
  if (list === 'prompts') return mayRead(caller, spec, 'prompt', String(name));
  return mayRead(caller, spec, 'resource', String(list === 'resources' ? uri : uriTemplate));
}

/** Whether this caller may call it, if it is offered. */
export const mayCall = (caller: Caller, server: string, tool: Params & { readonly name: string }): boolean =>
  caller.mayUse(server, tool.name) && (caller.readOnly !== true || onlyReads(tool));

/** Whether a tool says of itself that it changes nothing. */
function onlyReads({ annotations }: Params): boolean {
  return typeof annotations === 'object' && annotations !== null && 'readOnlyHint' in annotations
    ? annotations.readOnlyHint === true
    : false;
}
