import type { Static } from 'typebox';
import type { datasetList } from '#gateway/api/datasets-schemas.ts';
import type { experiment } from '#gateway/api/experiments-schemas.ts';
import type { Place } from '#serve/http/pages/browser/start-app.ts';
import { failed } from '#serve/http/pages/browser/components/states.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { linkTo } from '#serve/http/pages/browser/route.ts';
import { ServerError } from '#serve/http/pages/browser/server.ts';
import { datasetField } from './dataset-field.ts';
import { modelField } from './model-field.ts';
import { TAGS_LABEL, tagsIn } from './about.ts';

const TASKS = [
  'text-classification',
  'token-classification',
  'feature-extraction',
  'image-classification',
  'image-feature-extraction',
  'object-detection',
  'summarization',
  'translation',
  'text-generation',
  'conversation',
];

/** The form for a new experiment: a dataset, a task, and the models to compare. */
export async function showNewExperiment({ root, session, navigate, signal }: Place) {
  const { data: datasets } = await session.call<Static<typeof datasetList>>('api/v1/datasets/', {
    query: { limit: 1000 },
    signal,
  });
  const dataset = datasetField(
    session,
    datasets.items.filter(({ generated }) => !generated),
  );
  const models = modelField(session);
  const name = textField('new-name', 'Name', { required: true, maxlength: 255 });
  const tags = textField('new-tags', TAGS_LABEL, {});
  const modelTags = textField('new-model-tags', 'Tags of the models, separated by commas', {});
  const rows = textField('new-rows', 'Maximum number of rows (empty for all)', { type: 'number', min: 1 });
  const languages = ['Source language', 'Target language'].map((title, at) =>
    textField(`new-language-${at}`, title, {}),
  );
  const prompt = element('textarea', { id: 'new-prompt', rows: 3 });
  const task = element(
    'select',
    { id: 'new-task' },
    ...TASKS.map((one) => element('option', { value: one }, one)),
  );
  const problem = element('div', { role: 'alert' });
  const button = element('button', { type: 'submit' }, 'Start experiment');
  const form = element(
    'form',
    { class: 'schema-form', novalidate: true, 'aria-label': 'New experiment' },
    name.node,
    part('Dataset', dataset.node),
    part(
      'Task',
      element('p', { class: 'field' }, element('label', { for: 'new-task' }, 'Task'), task),
      ...languages.map(({ node }) => node),
      element(
        'p',
        { class: 'field' },
        element('label', { for: 'new-prompt' }, 'System prompt for language models (empty for the default)'),
        prompt,
      ),
    ),
    part('Models', models.node, modelTags.node),
    part('More', rows.node, tags.node),
    problem,
    element('div', { class: 'actions' }, button),
  );
  const showTask = async () => {
    for (const { node } of languages) node.hidden = task.value !== 'translation';
    await models.show(task.value, signal);
  };
  task.addEventListener('change', () => void showTask());
  await showTask();

  const refuse = (words: string) => problem.replaceChildren(failed(new ServerError(words, 422)));

  async function create() {
    if (name.value() === '') {
      refuse('Enter a name.');
      return name.focus();
    }
    const chosen = models.chosen();
    if (chosen.length === 0) {
      refuse('Select at least one model, or enter the address of an encoder.');
      return models.focus();
    }
    const id = await dataset.datasetId();
    if (id === undefined) return refuse('Select a dataset, or choose a file.');
    const [source, target] = languages.map((field) => field.value());
    const definition =
      task.value === 'translation'
        ? { task: task.value, source_language: source, target_language: target }
        : { task: task.value };
    const { data: made } = await session.call<Static<typeof experiment>>('api/v1/experiments/', {
      body: {
        name: name.value(),
        dataset: id,
        tags: tagsIn(tags.value()),
        task_definition: definition,
        ...(rows.value() === '' ? {} : { max_samples: Number(rows.value()) }),
      },
    });
    const problems = await startAll(made.id, chosen);
    if (problems.length === 0) return navigate(linkTo(['experiments', made.id]));
    refuse(problems.join(' '));
    problem.append(element('a', { href: linkTo(['experiments', made.id]) }, `Open ${made.name}`));
  }

  /** Starts all models. If one is rejected, the others still start. */
  async function startAll(experiment: string, chosen: ReturnType<typeof models.chosen>) {
    const problems = [];
    for (const model of chosen) {
      const isChat = model.provider !== 'encoder';
      const system = isChat && prompt.value.trim() !== '' ? { system_prompt: prompt.value } : {};
      try {
        await session.call('api/v1/workflows/', {
          body: { ...model, ...system, experiment_id: experiment, tags: tagsIn(modelTags.value()) },
        });
      } catch (error) {
        if (!(error instanceof ServerError)) throw error;
        problems.push(`${model.name}: ${error.message}`);
      }
    }
    return problems;
  }

  const submit = async () => {
    if (form.hasAttribute('aria-busy')) return;
    form.setAttribute('aria-busy', 'true');
    problem.replaceChildren();
    try {
      await create();
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      problem.replaceChildren(failed(error));
    } finally {
      form.removeAttribute('aria-busy');
    }
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit();
  });
  root.append(form);
}

const part = (title: string, ...content: Node[]) =>
  element('section', { 'aria-label': title, class: 'page' }, element('h2', {}, title), ...content);

function textField(id: string, title: string, attributes: Record<string, string | number | boolean>) {
  const input = element('input', { id, autocomplete: 'off', ...attributes });
  return {
    node: element('p', { class: 'field' }, element('label', { for: id }, title), input),
    value: () => input.value.trim(),
    focus: () => input.focus(),
  };
}
