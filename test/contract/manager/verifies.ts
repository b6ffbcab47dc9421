import { test } from 'vitest';
import { BEHAVIORS, type BehaviorId } from '../behaviors.ts';
import { MANAGER_ARMS, type ManagerArm } from './arms.ts';
import type { CommandArm } from '../command-arms.ts';
import { COMMAND_ARMS } from './command-arms.ts';

/** A test of one behavior of the manager, in-process and with the real executable. */
export function verifiesManaged(id: BehaviorId, body: (arm: ManagerArm) => Promise<void>): void {
  // oxlint-disable-next-line vitest/expect-expect -- the body contains the assertions.
  test.each(MANAGER_ARMS)(`[${id}] ${BEHAVIORS[id].behavior} ($name)`, body);
}

/** A test of one of the manager's commands, in-process and with the real executable. */
export function verifiesCommand(id: BehaviorId, body: (arm: CommandArm) => Promise<void>): void {
  // oxlint-disable-next-line vitest/expect-expect -- the body contains the assertions.
  test.each(COMMAND_ARMS)(`[${id}] ${BEHAVIORS[id].behavior} ($name)`, body);
}
