import { test } from 'vitest';
import { BEHAVIORS, type BehaviorId } from './behaviors.ts';
import { type Arm, ARMS } from './arms.ts';
import { type Transport, TRANSPORTS } from './clients.ts';
import { SERVING_ARMS, SERVING_ARMS_AND_TRANSFORMS, type ServingArm } from './serving.ts';

/** Tests a behavior in every mode: the same body in-process and against the real executable. */
export function verifies(
  id: BehaviorId,
  body: (arm: Arm) => Promise<void>,
  arms: readonly Arm[] = ARMS,
): void {
  // oxlint-disable-next-line vitest/expect-expect -- the body contains the assertions.
  test.each(arms)(`[${id}] ${BEHAVIORS[id].behavior} ($name)`, body);
}

/** Tests a behavior that exists only outside this process. */
export function verifiesOnce(id: BehaviorId, body: () => Promise<void>): void {
  // oxlint-disable-next-line vitest/expect-expect -- the body contains the assertions.
  test(`[${id}] ${BEHAVIORS[id].behavior}`, body);
}

/** Tests a behavior of a served model, in-process and against the real executable. */
export function verifiesServed(id: BehaviorId, body: (arm: ServingArm) => Promise<void>): void {
  // oxlint-disable-next-line vitest/expect-expect -- the body contains the assertions.
  test.each(SERVING_ARMS)(`[${id}] ${BEHAVIORS[id].behavior} ($name)`, body);
}

/** Tests the responses of a model over every wire, in-process and against the real executable, with and without a transform. */
export function verifiesOverWires(
  id: BehaviorId,
  body: (arm: ServingArm, transport: Transport) => Promise<void>,
): void {
  const cases = SERVING_ARMS_AND_TRANSFORMS.flatMap((arm) =>
    TRANSPORTS.map((transport) => ({ arm, transport })),
  );
  // oxlint-disable-next-line vitest/expect-expect -- the body contains the assertions.
  test.each(cases)(`[${id}] ${BEHAVIORS[id].behavior} ($arm.name, $transport.name)`, ({ arm, transport }) =>
    body(arm, transport),
  );
}
