import type { TestKernel } from '#test/helpers/test-kernel.ts';

interface CallLine {
  readonly level: number;
  readonly requestId: string;
  readonly method: string;
  readonly code: string;
  readonly ms: number;
}

/** The lines of the log about calls that have ended. */
export const callsIn = ({ logged }: TestKernel): CallLine[] =>
  logged.filter(({ msg }) => msg === 'call') as unknown as CallLine[];

/** Resolves as soon as that many calls have ended. For those whose client does not wait for their end. */
export async function untilEnded(kernel: TestKernel, count: number): Promise<CallLine[]> {
  while (callsIn(kernel).length < count) await new Promise(setImmediate);
  return callsIn(kernel);
}
