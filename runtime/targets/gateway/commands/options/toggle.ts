import { type Invocation, UsageError } from '#serve/cli/command.ts';

/** Reads two switches with opposite meanings: true for `on`, false for `off`, undefined if neither is set. */
export function readToggle(invocation: Invocation, on: string, off: string): boolean | undefined {
  const [isOn, isOff] = [invocation.flag(on), invocation.flag(off)];
  if (isOn && isOff) throw new UsageError(`--${on} conflicts with --${off}; use one of them.`);
  return isOn || isOff ? isOn : undefined;
}
