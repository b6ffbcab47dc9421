import type { TestKernel } from '#test/helpers/test-kernel.ts';

interface CallLine {
  readonly level: number;
  readonly requestId: string;
  readonly method: string;
  readonly code: string;
  readonly ms: number;
}

/** The log lines of completed calls. */
export const callsIn = ({ logged }: TestKernel): CallLine[] =>
  logged.filter(({ msg }) => msg === 'call') as unknown as CallLine[];

/** Resolves when this number of calls has been completed, for clients that do not wait for the end of their calls. */
export async function untilEnded(kernel: TestKernel, count: number): Promise<CallLine[]> {
  while (callsIn(kernel).length < count) await new Promise(setImmediate);
  return callsIn(kernel);
}
