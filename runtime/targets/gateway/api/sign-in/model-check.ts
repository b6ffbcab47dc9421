import type { GatewayState } from '../../gateway-state.ts';
import type { Caller } from '../../accounts/identity/identity.ts';
import type { AssertModelAllowed } from '../../evaluation/workflows/workflow.ts';

/** Returns a function that asserts that the caller can use a model. It is called when a job is created, because jobs run later. */
export async function modelCheckFor(
  { identity }: Pick<GatewayState, 'identity'>,
  caller: Caller,
): Promise<AssertModelAllowed> {
  if (caller.kind === 'master') return () => undefined;
  const spender = await identity.spender(caller, undefined);
  return (model) => identity.requireModel(spender, model);
}
