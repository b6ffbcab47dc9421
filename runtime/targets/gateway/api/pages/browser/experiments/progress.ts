import type { JobProgress, Progress } from './results.ts';
import { badge } from '#serve/http/pages/browser/components/facts.ts';
import { counted, count } from '#serve/http/pages/browser/format.ts';
import { element } from '#serve/http/pages/browser/dom.ts';

/** Progress of an experiment's jobs, with the rows that each worker is processing. */
export const progressView = ({ workflows }: Progress) =>
  element(
    'div',
    { class: 'progress-list' },
    ...workflows.map(({ name, status, error, jobs }) =>
      element(
        'section',
        { 'aria-label': `Progress of ${name}` },
        element('h3', {}, name, ' ', badge(status, kindOf(status))),
        ...(error === null ? [] : [element('p', { class: 'field-problem' }, error)]),
        ...jobs.map((job) => jobPart(name, job)),
      ),
    ),
  );

const kindOf = (status: string) =>
  status === 'failed' || status === 'stopped' ? 'alarm' : status === 'succeeded' ? 'good' : 'plain';

function jobPart(
  workflow: string,
  {
    type,
    status,
    total_rows: total,
    done_rows: done,
    failed_rows: failed,
    queued_reason: why,
    workers,
  }: JobProgress,
) {
  return element(
    'div',
    { class: 'job-progress' },
    element(
      'p',
      {},
      `${type}: ${count(done)} of ${counted(total, 'row')}`,
      ...(failed === 0 ? [] : [', ', `${count(failed)} failed`]),
      ...(status === 'running' || status === 'succeeded' ? [] : [' (', status, ')']),
    ),
    bar(`${type} of ${workflow}`, done, total),
    ...(why === null ? [] : [element('p', { class: 'hint' }, why)]),
    ...(workers.length === 0
      ? []
      : [
          element(
            'ul',
            { class: 'workers' },
            ...workers.map((worker, at) =>
              element(
                'li',
                {},
                element(
                  'span',
                  { title: worker.worker },
                  `Worker ${at + 1}: rows ${count(worker.first_row)} to ${count(worker.first_row + worker.rows - 1)}, ${count(worker.done_rows)} done`,
                ),
                bar(`Worker ${at + 1} of ${type} of ${workflow}`, worker.done_rows, worker.rows),
              ),
            ),
          ),
        ]),
  );
}

const bar = (label: string, value: number, max: number) =>
  element('progress', { 'aria-label': label, value: Math.min(value, max), max: Math.max(1, max) });
