import type { Store } from '../../../store/store.ts';
import { countUsage } from './count-usage.ts';
import { readSpeeds } from './read-speeds.ts';
import { readSpending } from './read-spending.ts';
import type { UsageTrends } from './trends-api.ts';

export const createUsageTrends = ({ db, kind }: Pick<Store, 'db' | 'kind'>): UsageTrends => ({
  spending: (range, scope, selection) => readSpending({ db, kind }, range, scope, selection),
  speeds: (range, scope, by) => readSpeeds({ db, kind }, range, scope, by),
  async count(now, signal) {
    for (;;) {
      if (signal?.aborted || !(await countUsage(db, now))) return;
      // Requests have their turn between two steps.
      await new Promise((resolve) => setImmediate(resolve));
    }
  },
});
