import { AppError } from '#contract/errors.ts';
import { createYielder } from '#platform/run-yielding.ts';
import { meanMetric } from '../../../metrics/text/mean-metric.ts';
import { readText } from '../../read-text.ts';
import { type CountRow, isUnanswered, type MetricFamily } from '../evaluation.ts';
import { all, asIs } from '../names.ts';
import { type LuaFunction, openLuaFunction } from './lua-function.ts';

/** The family of a metric that a Lua script computes. A row without an answer scores 0. */
export const luaFamily = (name: string, source: string): MetricFamily => ({
  name,
  metrics: { [name]: all },
  needs: [],
  shownAs: asIs,
  open(_tools, saved) {
    const metric = meanMetric([name], (score: number) => ({ [name]: score }), saved);
    const yieldToOthers = createYielder();
    let opening: Promise<LuaFunction> | undefined;
    return {
      async prepare(samples, { signal }) {
        opening ??= openLuaFunction(source);
        const score = await opening;
        const counts: CountRow[] = [];
        for (const sample of samples) {
          await yieldToOthers();
          signal.throwIfAborted();
          try {
            const value = isUnanswered(sample) ? 0 : await score(readText(sample.prediction), sample.row);
            counts.push(() => metric.add(value));
          } catch (error) {
            counts.push(() => {
              throw AppError.from(error);
            });
          }
        }
        return counts;
      },
      result: metric.result,
      save: metric.save,
    };
  },
});
