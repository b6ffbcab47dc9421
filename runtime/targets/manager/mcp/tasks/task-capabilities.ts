import { membersOf } from '#core/json/members-of.ts';
import type { ShapeOfParams } from '../../shapes/shape.ts';
import { TASKS_EXTENSION } from '../../upstream/extensions.ts';

/** Returns an endpoint's capabilities for clients with sessions, in which tasks are a capability. */
export function forSession({ extensions, ...capabilities }: ShapeOfParams): ShapeOfParams {
  const { [TASKS_EXTENSION]: _, ...others } = membersOf(extensions);
  return Object.keys(others).length === 0 ? capabilities : { ...capabilities, extensions: others };
}

/** Returns an endpoint's capabilities for clients without sessions, in which tasks are an extension. */
export function withoutSession(capabilities: ShapeOfParams): ShapeOfParams {
  const { tasks: _, ...others } = capabilities;
  return others;
}
