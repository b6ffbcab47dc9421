import { test } from 'vitest';
import { BEHAVIOURS, type BehaviourId } from '../behaviours.ts';
import { MANAGER_ARMS, type ManagerArm } from './arms.ts';

/** A test of one behaviour of the manager, in-process and as the real executable. */
export function verifiesManaged(id: BehaviourId, body: (arm: ManagerArm) => Promise<void>): void {
  // oxlint-disable-next-line vitest/expect-expect -- the body has them.
  test.each(MANAGER_ARMS)(`[${id}] ${BEHAVIOURS[id].behaviour} ($name)`, body);
}
