import { compileLinearPattern, isFoundIn } from '#platform/linear-pattern.ts';
import { type AnswerSchema, compileAnswerSchema } from '#gateway/requests/guardrails/judges/answer-schema.ts';
import { meanMetric } from '../../../metrics/text/mean-metric.ts';
import { cellText } from '../read-cells.ts';
import { isUnanswered, type MetricFamily } from '../evaluation.ts';
import { judgeFamily } from '../families/judge.ts';
import { all, asIs, readInTurn, scorer } from '../scorer.ts';
import type { CustomMetric } from './custom-metric.ts';
import { createYielder } from '#platform/run-yielding.ts';
import { type LuaFunction, openLuaFunction } from './lua-function.ts';

/**
 * The family of a user-defined metric. A row without a response scores 0. Throws an error for an invalid
 * pattern or schema.
 */
export function customFamily(metric: CustomMetric): MetricFamily {
  const { name, rubric, lua } = metric;
  if (rubric !== undefined) return rubricFamily(name, rubric);
  if (lua !== undefined) return luaFamily(name, lua);
  const holds = checkOf(metric);
  return {
    name,
    metrics: { [name]: all },
    needs: [],
    shownAs: asIs,
    open: (_tools, saved) =>
      scorer(
        meanMetric(
          [name],
          (answer: string | null) => ({ [name]: answer !== null && holds(answer) ? 1 : 0 }),
          saved,
        ),
        (sample) => (isUnanswered(sample) ? null : cellText(sample.prediction)),
      ),
  };
}

function checkOf({ regex, ignoreCase, jsonSchema }: CustomMetric): (answer: string) => boolean {
  if (regex !== undefined) {
    const pattern = compileLinearPattern(regex, { ignoreCase });
    return (answer) => isFoundIn(pattern, answer);
  }
  // Compiled on use, in the worker: the gateway only validates it, in a thread.
  let validate: AnswerSchema | undefined;
  return (answer) => {
    validate ??= compileAnswerSchema(jsonSchema ?? {});
    return answer.trim() !== '' && validate(answer).valid;
  };
}

/** Name of a rubric's only criterion. */
const CRITERION = 'rubric';

const rubricFamily = (name: string, rubric: string): MetricFamily => ({
  ...judgeFamily({
    name,
    task: 'answer the input',
    readsReference: true,
    criteria: [
      {
        name: CRITERION,
        description: rubric,
        steps: [
          'Read the output, and compare it with the criterion.',
          'Give the lowest score if nothing of the criterion is met.',
        ],
      },
    ],
  }),
  shownAs: () => name,
});

/** The family of a metric computed by a Lua script. A row without a response scores 0. */
const luaFamily = (name: string, source: string): MetricFamily => ({
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
        return await readInTurn(
          samples,
          { signal, yieldToOthers },
          (sample) => (isUnanswered(sample) ? 0 : score(cellText(sample.prediction), sample.row)),
          (value) => metric.add(value),
        );
      },
      result: metric.result,
      save: metric.save,
    };
  },
});
