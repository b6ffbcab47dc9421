import type { GatewayState } from '../../gateway-state.ts';
import type { Caller } from '../../accounts/identity/identity.ts';
import type { MayUse } from '../../lab/workflows/workflow.ts';

/** Which models of the gateway the caller may use: what is asked later, in the owner's name, has to be allowed now. */
export async function mayUseOf(
  { identity }: Pick<GatewayState, 'identity'>,
  caller: Caller,
): Promise<MayUse> {
  if (caller.kind === 'master') return () => undefined;
  const spender = await identity.spender(caller, undefined);
  return (model) => identity.requireModel(spender, model);
}
