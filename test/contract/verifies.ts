import { test } from 'vitest';
import { BEHAVIOURS, type BehaviourId } from './behaviours.ts';
import { type Arm, ARMS } from './arms.ts';
import { type Transport, TRANSPORTS } from './clients.ts';
import { SERVING_ARMS, type ServingArm } from './serving.ts';

/** A test of one behaviour on every arm: the same body in-process and against the real executable. */
export function verifies(id: BehaviourId, body: (arm: Arm) => Promise<void>): void {
  // oxlint-disable-next-line vitest/expect-expect -- the body has them.
  test.each(ARMS)(`[${id}] ${BEHAVIOURS[id].behaviour} ($name)`, body);
}

/** A test of one behaviour that only exists outside this process. */
export function verifiesOnce(id: BehaviourId, body: () => Promise<void>): void {
  // oxlint-disable-next-line vitest/expect-expect -- the body has them.
  test(`[${id}] ${BEHAVIOURS[id].behaviour}`, body);
}

/** A test of one behaviour of a served model: over every wire, in-process and against the real executable. */
export function verifiesOverWires(
  id: BehaviourId,
  body: (arm: ServingArm, transport: Transport) => Promise<void>,
): void {
  const cases = SERVING_ARMS.flatMap((arm) => TRANSPORTS.map((transport) => ({ arm, transport })));
  // oxlint-disable-next-line vitest/expect-expect -- the body has them.
  test.each(cases)(`[${id}] ${BEHAVIOURS[id].behaviour} ($arm.name, $transport.name)`, ({ arm, transport }) =>
    body(arm, transport),
  );
}
