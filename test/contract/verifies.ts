import { test } from 'vitest';
import { BEHAVIOURS, type BehaviourId } from './behaviours.ts';
import { type Arm, ARMS } from './arms.ts';
import { type Transport, TRANSPORTS } from './clients.ts';
import { SERVING_ARMS, SERVING_ARMS_AND_TRANSFORMS, type ServingArm } from './serving.ts';

/** A test of one behavior on every arm: the same body in-process and against the real executable. */
export function verifies(
  id: BehaviourId,
  body: (arm: Arm) => Promise<void>,
  arms: readonly Arm[] = ARMS,
): void {
  // oxlint-disable-next-line vitest/expect-expect -- the body has them.
  test.each(arms)(`[${id}] ${BEHAVIOURS[id].behaviour} ($name)`, body);
}

/** A test of one behavior that only exists outside this process. */
export function verifiesOnce(id: BehaviourId, body: () => Promise<void>): void {
  // oxlint-disable-next-line vitest/expect-expect -- the body has them.
  test(`[${id}] ${BEHAVIOURS[id].behaviour}`, body);
}

/** A test of one behavior of a served model, in-process and against the real executable. */
export function verifiesServed(id: BehaviourId, body: (arm: ServingArm) => Promise<void>): void {
  // oxlint-disable-next-line vitest/expect-expect -- the body has them.
  test.each(SERVING_ARMS)(`[${id}] ${BEHAVIOURS[id].behaviour} ($name)`, body);
}

/** A test of what a model answers: over every wire, in-process and against the real executable, with a transform and without. */
export function verifiesOverWires(
  id: BehaviourId,
  body: (arm: ServingArm, transport: Transport) => Promise<void>,
): void {
  const cases = SERVING_ARMS_AND_TRANSFORMS.flatMap((arm) =>
    TRANSPORTS.map((transport) => ({ arm, transport })),
  );
  // oxlint-disable-next-line vitest/expect-expect -- the body has them.
  test.each(cases)(`[${id}] ${BEHAVIOURS[id].behaviour} ($arm.name, $transport.name)`, ({ arm, transport }) =>
    body(arm, transport),
  );
}
