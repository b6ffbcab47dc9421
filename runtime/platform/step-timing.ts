import type { Output } from '../../../serve/cli/command.ts';
import { type OnStep, type Step, STEPS } from '../engine/steps.ts';

interface StepTime {
  readonly start: number;
  readonly milliseconds: number;
  /** How often the step ran. */
  readonly times: number;
}

export interface Timing {
  readonly onStep: OnStep;
  /** Writes all steps and the time since the process started: a table, or one line of JSON. */
  readonly write: (output: Output, format: 'table' | 'json') => void;
}

/** Collects the steps of a run. Times are in milliseconds since Node started. */
export function createTiming(): Timing {
  const steps = new Map<Step, StepTime>();
  const onStep: OnStep = (step, start, end) => {
    const known = steps.get(step) ?? { start, milliseconds: 0, times: 0 };
    steps.set(step, {
      start: Math.min(known.start, start),
      milliseconds: known.milliseconds + end - start,
      times: known.times + 1,
    });
  };
  const { bootstrapComplete } = performance.nodeTiming;
  onStep('node', 0, bootstrapComplete);
  onStep('program', bootstrapComplete, performance.now());
  return {
    onStep,
    write({ err }, format) {
      const total = performance.now();
      const rows = [...steps].sort(([, a], [, b]) => a.start - b.start);
      err(format === 'json' ? timingJson(rows, total) : timingTable(rows, total));
    },
  };
}

type Rows = readonly (readonly [Step, StepTime])[];

/** The steps in the order of their start. */
function timingJson(rows: Rows, total: number): string {
  const steps = rows.map(([step, { start, milliseconds, times }]) => ({
    step,
    start_ms: rounded(start),
    ms: rounded(milliseconds),
    times,
  }));
  return `${JSON.stringify({ timing: { steps, total_ms: rounded(total) } })}\n`;
}

function timingTable(rows: Rows, total: number): string {
  const line = (start: string, milliseconds: string, text: string): string =>
    `${start.padStart(9)}${milliseconds.padStart(10)}  ${text}`.trimEnd();
  return `${[
    line('start ms', 'ms', 'step'),
    ...rows.map(([step, { start, milliseconds, times }]) =>
      line(
        start.toFixed(1),
        milliseconds.toFixed(1),
        `${step}: ${STEPS[step]}${times > 1 ? `, ${times} times` : ''}`,
      ),
    ),
    line('', total.toFixed(1), 'total'),
  ].join('\n')}\n`;
}

const rounded = (milliseconds: number): number => Number(milliseconds.toFixed(2));
