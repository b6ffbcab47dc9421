import { test } from 'vitest';
import { BEHAVIORS, type BehaviorId } from '../behaviors.ts';
import type { CommandArm } from '../command-arms.ts';
import { GATEWAY_ARMS, type GatewayArm } from './arms.ts';
import { GATEWAY_COMMAND_ARMS } from './command-arms.ts';

/** A test of one behavior of the gateway, in-process and with the real executable. */
export function verifiesGateway(id: BehaviorId, body: (arm: GatewayArm) => Promise<void>): void {
  // oxlint-disable-next-line vitest/expect-expect -- the body contains the assertions.
  test.each(GATEWAY_ARMS)(`[${id}] ${BEHAVIORS[id].behavior} ($name)`, body);
}

/** A test of one of the gateway's commands, in-process and with the real executable. */
export function verifiesGatewayCommand(id: BehaviorId, body: (arm: CommandArm) => Promise<void>): void {
  // oxlint-disable-next-line vitest/expect-expect -- the body contains the assertions.
  test.each(GATEWAY_COMMAND_ARMS)(`[${id}] ${BEHAVIORS[id].behavior} ($name)`, body);
}
