/** @import { Session } from '../session.js' */
import { facts } from '../components/facts.js';
import { element, scrollable } from '../dom.js';
import { ServerError } from '../server.js';
import { table } from '../table.js';
import { tagLine } from './tag-line.js';

/**
 * The description, the task and the dataset of an experiment, and all tags.
 * @param {Session} session
 * @param {any} experiment
 * @param {AbortSignal} signal
 */
export async function aboutExperiment(session, experiment, signal) {
  const datasetPath = pathOf('datasets', experiment.dataset);
  const dataset = await session.call(datasetPath, { signal }).then(({ data }) => data, missing);
  const models = experiment.workflows ?? [];
  return [
    ...(experiment.description === '' ? [] : [element('p', {}, experiment.description)]),
    facts([
      ['Task', experiment.task_definition.task],
      [
        'Tags',
        tagLine(session, {
          path: pathOf('experiments', experiment.id),
          name: experiment.name,
          tags: experiment.tags,
        }),
      ],
      ['Dataset', dataset?.filename ?? experiment.dataset],
      ...(dataset
        ? [
            /** @type {const} */ ([
              'Tags of the dataset',
              tagLine(session, { path: datasetPath, name: dataset.filename, tags: dataset.tags }),
            ]),
          ]
        : []),
    ]),
    ...(models.length === 0 ? [] : [modelTags(session, models)]),
  ];
}

/**
 * @param {Session} session
 * @param {readonly { id: string, name: string, tags: readonly string[] }[]} models
 */
const modelTags = (session, models) =>
  element(
    'details',
    {},
    element('summary', {}, 'Tags of the models'),
    scrollable(
      'Tags of the models',
      table(
        'Tags of the models',
        ['Model', 'Tags'],
        models.map(({ id, name, tags }) => [
          name,
          tagLine(session, { path: pathOf('workflows', id), name, tags }),
        ]),
        'data',
      ),
    ),
  );

/**
 * @param {string} kind
 * @param {string} id
 */
const pathOf = (kind, id) => `api/v1/${kind}/${encodeURIComponent(id)}`;

/**
 * A dataset can belong to another user.
 * @param {unknown} error
 */
function missing(error) {
  if (error instanceof ServerError && error.status === 404) return undefined;
  throw error;
}
