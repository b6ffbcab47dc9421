import type { GatewayState } from '../../gateway-state.ts';
import type { Caller } from '../../accounts/identity/identity.ts';
import type { AssertModelAllowed } from '../../lab/workflows/workflow.ts';

/** Returns a check whether the caller can use a model. Jobs run later in the name of the owner, so it is checked when they are created. */
export async function mayUseOf(
  { identity }: Pick<GatewayState, 'identity'>,
  caller: Caller,
): Promise<AssertModelAllowed> {
  if (caller.kind === 'master') return () => undefined;
  const spender = await identity.spender(caller, undefined);
  return (model) => identity.requireModel(spender, model);
}
