import type { Workbench } from '../setup/workbench.ts';

/** A section of the benchmark: its description, and the code that runs and prints it. */
export interface Section {
  readonly title: string;
  /** Whether it reads /proc, which only Linux has. */
  readonly linuxOnly: boolean;
  run(this: void, bench: Workbench): Promise<void>;
}
