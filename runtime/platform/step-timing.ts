import type { OnStep } from '#core/time/time-step.ts';

interface StepTime {
  readonly start: number;
  readonly milliseconds: number;
  /** How often the step ran. */
  readonly times: number;
}

export interface Timing<Step extends string> {
  readonly onStep: OnStep<Step>;
  /** All steps and the time since the process started, as a table or as one line of JSON. */
  readonly text: (format: 'table' | 'json') => string;
}

/** The steps that every program has before its own. */
type FirstStep = 'node' | 'program';

/** Collects the steps of a run; `texts` describes each step. Times are in milliseconds since Node started. */
export function createTiming<Step extends string>(
  texts: Readonly<Record<Step | FirstStep, string>>,
): Timing<Step | FirstStep> {
  const steps = new Map<Step | FirstStep, StepTime>();
  const onStep: OnStep<Step | FirstStep> = (step, start, end) => {
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
    text(format) {
      const total = performance.now();
      const rows = [...steps]
        .sort(([, a], [, b]) => a.start - b.start)
        .map(([step, time]): Row => ({ step, text: texts[step], ...time }));
      return format === 'json' ? timingJson(rows, total) : timingTable(rows, total);
    },
  };
}

interface Row extends StepTime {
  readonly step: string;
  readonly text: string;
}

/** The steps in the order in which they started. */
function timingJson(rows: readonly Row[], total: number): string {
  const steps = rows.map(({ step, start, milliseconds, times }) => ({
    step,
    start_ms: rounded(start),
    ms: rounded(milliseconds),
    times,
  }));
  return `${JSON.stringify({ timing: { steps, total_ms: rounded(total) } })}\n`;
}

function timingTable(rows: readonly Row[], total: number): string {
  const line = (start: string, milliseconds: string, text: string): string =>
    `${start.padStart(9)}${milliseconds.padStart(10)}  ${text}`.trimEnd();
  return `${[
    line('start ms', 'ms', 'step'),
    ...rows.map(({ step, text, start, milliseconds, times }) =>
      line(
        start.toFixed(1),
        milliseconds.toFixed(1),
        `${step}: ${text}${times > 1 ? `, ${times} times` : ''}`,
      ),
    ),
    line('', total.toFixed(1), 'total'),
  ].join('\n')}\n`;
}

const rounded = (milliseconds: number): number => Number(milliseconds.toFixed(2));
