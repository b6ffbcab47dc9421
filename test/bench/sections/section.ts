import type { Workbench } from '../setup/workbench.ts';

/** One part of the bench: what it measures, and the code that does and prints it. */
export interface Section {
  readonly title: string;
  /** Whether it reads /proc, which only Linux has. */
  readonly linuxOnly: boolean;
  run(this: void, bench: Workbench): Promise<void>;
}
