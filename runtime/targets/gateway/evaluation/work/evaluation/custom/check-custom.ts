import { type AppError, inputError, messageOf } from '#contract/errors.ts';
import { schemaSizeProblem } from '#core/json/schema-size.ts';
import { schemaProblem } from '#platform/json-schema/schema-thread.ts';
import { metricNames } from '../metrics.ts';
import type { EvaluatedTask } from '../../tasks/task.ts';
import { customFamily } from './custom-family.ts';
import type { CustomMetric } from './custom-metric.ts';
import { openLuaFunction } from './lua-function.ts';

const NAME = /^[a-z][a-z0-9_]{0,63}$/;
/** Columns of the score table that are not metrics. */
const TAKEN = ['error', 'ground_truth', 'predictions'];

/** Throws an InputError for an invalid user-defined metric. */
export function checkCustomMetrics(
  task: EvaluatedTask,
  custom: readonly CustomMetric[],
  hasJudge: boolean,
): void {
  if (custom.length > 0 && !task.showsAnswers)
    throw inputError('This task has no responses that a custom metric could score. Remove custom_metrics.');
  const taken = new Set([...metricNames(task), ...TAKEN]);
  for (const metric of custom) {
    const { name, regex, jsonSchema, lua, rubric } = metric;
    const shown = shownName(metric);
    if (!NAME.test(name))
      throw inputError(
        `${shown} requires a name that starts with a lowercase letter and has at most 64 lowercase letters, digits and _.`,
      );
    if (taken.has(name))
      throw inputError(`${shown} has the name of another metric or column. Choose another name.`);
    if ([regex, jsonSchema, lua, rubric].filter((one) => one !== undefined).length !== 1)
      throw inputError(`${shown} requires exactly one of regex, json_schema, lua and rubric.`);
    if (rubric !== undefined && !hasJudge)
      throw inputError(`${shown} requires a language model as judge. Set llm_as_judge.`);
    try {
      customFamily(metric);
    } catch (error) {
      throw invalid(metric, error);
    }
    taken.add(name);
  }
}

/** Compiles the Lua scripts and JSON Schemas. Rejects with an InputError if one is invalid. */
export async function compileCustomMetrics(custom: readonly CustomMetric[]): Promise<void> {
  for (const metric of custom) {
    if (metric.jsonSchema !== undefined) {
      const problem =
        schemaSizeProblem(metric.jsonSchema) ?? (await schemaProblem(metric.jsonSchema, '2020'));
      if (problem !== undefined) throw invalid(metric, new Error(`the JSON Schema ${problem}`));
    }
    if (metric.lua === undefined) continue;
    await openLuaFunction(metric.lua).catch((error: unknown) => {
      throw invalid(metric, error);
    });
  }
}

const shownName = ({ name }: CustomMetric): string => `Custom metric ${JSON.stringify(name)}`;

const invalid = (metric: CustomMetric, error: unknown): AppError =>
  inputError(`${shownName(metric)} is invalid: ${messageOf(error)}`, error);
