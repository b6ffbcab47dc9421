import type { SequentialVerdict } from '../../evaluation/metrics/sequential/paired-test.ts';
import { createUnitTests, reportAb } from './ab-report.ts';
import type { AbPlan, NewTrial, ShadowRecords, Trial } from './shadow-records.ts';
import { createTestUnits } from './test-units.ts';
import { createTrialTests, readRows, reportTrial, type TrialReport } from './trial-report.ts';

/** Follows a trial as rows are stored. */
export interface TrialMonitor {
  /** Reads what is new, and returns the verdict, and after how many requests or users. */
  read(now: number): Promise<{ readonly verdict: SequentialVerdict; readonly count: number }>;
  /** When more can be known without further rows; undefined if only rows matter. */
  readonly nextAt: () => number | undefined;
}

type Records = Pick<ShadowRecords, 'rows' | 'ratings'>;

export const createMonitor = (records: Records, trial: Pick<NewTrial, 'id' | 'plan'>): TrialMonitor =>
  trial.plan.ab ? monitorUnits(records, trial, trial.plan.ab) : monitorRows(records, trial);

/** Reads all about a trial at a time. */
export const reportOf = (
  records: Pick<ShadowRecords, 'rows' | 'ratings' | 'skips'>,
  trial: Trial,
  now: number,
): Promise<TrialReport> =>
  trial.plan.ab ? reportAb(records, trial, trial.plan.ab, now) : reportTrial(records, trial);

function monitorRows(records: Records, { id, plan }: Pick<NewTrial, 'id' | 'plan'>): TrialMonitor {
  const tests = createTrialTests(plan);
  let last = 0;
  return {
    async read() {
      last = await readRows(records, id, last, (row) => tests.add(row));
      return { verdict: tests.verdict(), count: last };
    },
    nextAt: () => undefined,
  };
}

function monitorUnits(
  records: Records,
  { id, plan }: Pick<NewTrial, 'id' | 'plan'>,
  ab: AbPlan,
): TrialMonitor {
  const units = createTestUnits(ab, plan.metrics);
  const tests = createUnitTests(plan);
  let [last, count] = [0, 0];
  return {
    async read(now) {
      last = await readRows(records, id, last, (row) => units.add(row));
      if ((units.nextEnd() ?? Infinity) > now) return { verdict: tests.verdict(), count };
      for (const unit of units.close(await records.ratings(id, units.firstOpen()), now)) {
        tests.add(unit);
        count += 1;
      }
      return { verdict: tests.verdict(), count };
    },
    nextAt: units.nextEnd,
  };
}
