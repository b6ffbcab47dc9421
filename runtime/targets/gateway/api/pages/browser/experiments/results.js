/**
 * Answers of the API, as far as the pages read them.
 * @typedef {{ low: number, high: number }} Interval
 * @typedef {{ value: number, rows: number, answered: number, interval: Interval | null }} Metric
 *
 * @typedef {object} Workflow
 * @property {string} id
 * @property {string} name
 * @property {string} model
 * @property {string} provider
 * @property {'created' | 'running' | 'succeeded' | 'failed'} status
 * @property {string | null} error
 * @property {number} rows
 * @property {number} answered_rows
 * @property {number} failed_rows
 * @property {Record<string, Metric>} metrics
 * @property {number | null} cost
 * @property {number | null} cost_per_row
 * @property {number | null} tokens_per_row
 * @property {number | null} rows_per_second
 * @property {{ mean: number, p50: number, p95: number } | null} latency_ms
 *
 * @typedef {object} Pair
 * @property {string} metric
 * @property {string} first
 * @property {string} second
 * @property {number | null} difference
 * @property {Interval | null} interval
 * @property {number} rows
 * @property {number | null} p_value
 * @property {number | null} adjusted_p_value
 *
 * @typedef {object} Comparison
 * @property {{ id: string, name: string, dataset: string, task_definition: { task: string } }} experiment
 * @property {boolean} partial
 * @property {readonly string[]} metrics
 * @property {readonly Workflow[]} workflows
 * @property {readonly Pair[]} pairs
 * @property {{ total: number } | null} disagreements
 *
 * @typedef {readonly [number, number]} CurvePoint
 * @typedef {{ from: number, to: number, rows: number }} Bin
 *
 * @typedef {object} WorkflowPlots
 * @property {string} id
 * @property {string} name
 * @property {{ labels: readonly string[], matrix: readonly (readonly number[])[] } | null} confusion
 * @property {{ rows: number, roc_auc: number | null, average_precision: number | null, roc: readonly CurvePoint[],
 *   precision_recall: readonly CurvePoint[], calibration: readonly { rows: number, predicted: number, observed: number }[] } | null} curves
 * @property {readonly Bin[]} scores
 * @property {readonly Bin[]} latency
 * @property {readonly (Bin & { mean: number })[]} lengths
 *
 * @typedef {object} Plots
 * @property {readonly string[]} metrics
 * @property {string | null} metric
 * @property {readonly string[]} labels
 * @property {string | null} label
 * @property {readonly WorkflowPlots[]} workflows
 *
 * @typedef {object} ModelRow
 * @property {unknown} answer
 * @property {string | null} error
 * @property {number | null} latency_ms
 * @property {Record<string, number>} scores
 * @property {Record<string, string>} reasons
 *
 * @typedef {object} ResultRow
 * @property {number} row
 * @property {string} example
 * @property {unknown} ground_truth
 * @property {boolean} differs
 * @property {Record<string, ModelRow>} models
 *
 * @typedef {object} JobProgress
 * @property {string} id
 * @property {string} type
 * @property {string} status
 * @property {number} total_rows
 * @property {number} done_rows
 * @property {number} failed_rows
 * @property {string | null} queued_reason
 * @property {readonly { worker: string, first_row: number, rows: number, done_rows: number, failed_rows: number }[]} workers
 *
 * @typedef {object} Progress
 * @property {boolean} active
 * @property {readonly { id: string, name: string, status: string, error: string | null, jobs: readonly JobProgress[] }[]} workflows
 */

/**
 * An answer as text. Lists and objects are shown as JSON.
 * @param {unknown} answer
 */
export const answerText = (answer) =>
  answer === null || answer === undefined ? '' : typeof answer === 'string' ? answer : JSON.stringify(answer);
