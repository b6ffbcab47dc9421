import type { Workbench } from '../setup/workbench.ts';

/** A section of the benchmark: its description, and the code that runs and prints it. */
export interface Section {
  readonly title: string;
  /** Whether the section reads /proc, which exists only on Linux. */
  readonly linuxOnly: boolean;
  run(this: void, bench: Workbench): Promise<void>;
}
