import { matchesAny } from '../../../core/name-pattern.ts';
import type { Caller } from '../access/caller.ts';
import type { NameFilter, ServerSpec } from '../config/spec.ts';
import type { Params } from '../upstream/connection.ts';

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

/** Whether this caller may call it, if it is offered. */
export const mayCall = (caller: Caller, server: string, tool: Params & { readonly name: string }): boolean =>
  caller.mayUse(server, tool.name) && (caller.readOnly !== true || onlyReads(tool));

/** Whether a tool says of itself that it changes nothing. */
function onlyReads({ annotations }: Params): boolean {
  return typeof annotations === 'object' && annotations !== null && 'readOnlyHint' in annotations
    ? annotations.readOnlyHint === true
    : false;
}
