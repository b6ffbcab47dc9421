import type { Static } from 'typebox';
import type { dataset } from '#gateway/api/datasets-schemas.ts';
import type { experiment } from '#gateway/api/experiments-schemas.ts';
import type { Session } from '#serve/http/pages/browser/session.ts';
import { facts, table, badge } from '#serve/http/pages/browser/components/facts.ts';
import { element, scrollable } from '#serve/http/pages/browser/dom.ts';
import { ServerError } from '#serve/http/pages/browser/server.ts';
import { openDialog } from '#serve/http/pages/browser/components/dialog.ts';

type Experiment = Static<typeof experiment>;

/** An experiment's description, task and dataset, and all tags. */
export async function aboutExperiment(session: Session, experiment: Experiment, signal: AbortSignal) {
  const datasetPath = pathOf('datasets', experiment.dataset);
  const source = await session
    .call<Static<typeof dataset>>(datasetPath, { signal })
    .then(({ data }) => data, missing);
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
      ['Dataset', source?.filename ?? experiment.dataset],
      ...(source
        ? [
            [
              'Tags of the dataset',
              tagLine(session, { path: datasetPath, name: source.filename, tags: source.tags }),
            ] as const,
          ]
        : []),
    ]),
    ...(models.length === 0 ? [] : [modelTags(session, models)]),
  ];
}

const modelTags = (
  session: Session,
  models: readonly { id: string; name: string; tags: readonly string[] }[],
) =>
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

const pathOf = (kind: string, id: string) => `api/v1/${kind}/${encodeURIComponent(id)}`;

/** The dataset may belong to another user, in which case it cannot be shown. */
function missing(error: unknown) {
  if (error instanceof ServerError && error.status === 404) return undefined;
  throw error;
}

/** Splits a comma-separated text into tags. */
export const tagsIn = (text: string) => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
];

/** The label of tag fields. */
export const TAGS_LABEL = 'Tags, separated by commas';

/** The tags of an experiment, dataset or model, with a button to change them. */
function tagLine(
  session: Session,
  { path, name, tags }: { path: string; name: string; tags: readonly string[] },
) {
  let current = tags;
  const shown = element('span', { class: 'tag-list' });
  const draw = () =>
    shown.replaceChildren(...(current.length === 0 ? ['None'] : current.map((tag) => badge(tag))));
  const edit = element(
    'button',
    { type: 'button', class: 'quiet', 'aria-label': `Edit tags of ${name}` },
    'Edit tags',
  );
  edit.addEventListener('click', () => {
    const field = element('input', { id: 'edited-tags', autocomplete: 'off', value: current.join(', ') });
    openDialog({
      title: `Tags of ${name}`,
      content: element('p', { class: 'field' }, element('label', { for: field.id }, TAGS_LABEL), field),
      actions: [
        { name: 'Cancel', kind: 'quiet' },
        {
          name: 'Save',
          async run() {
            const { data } = await session.call<{ readonly tags: readonly string[] }>(path, {
              method: 'PATCH',
              body: { tags: tagsIn(field.value) },
            });
            current = data.tags;
            draw();
          },
        },
      ],
    });
    field.focus();
  });
  draw();
  return element('span', { class: 'tag-line' }, shown, edit);
}
