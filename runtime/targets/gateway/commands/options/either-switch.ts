import { type Invocation, UsageError } from '../../../../serve/cli/command.ts';

/** Of two switches that mean the opposite: whether the first one is on; undefined if neither is. */
export function eitherSwitch(invocation: Invocation, on: string, off: string): boolean | undefined {
  const [isOn, isOff] = [invocation.flag(on), invocation.flag(off)];
  if (isOn && isOff) throw new UsageError(`Give either --${on} or --${off}.`);
  return isOn || isOff ? isOn : undefined;
}
