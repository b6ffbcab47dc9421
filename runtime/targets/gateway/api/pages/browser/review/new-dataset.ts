import type { Static } from 'typebox';
import type { fromRequests } from '#gateway/api/traffic-datasets.ts';
import type { Session } from '#serve/http/pages/browser/session.ts';
import { facts } from '#serve/http/pages/browser/components/facts.ts';
import { failed } from '#serve/http/pages/browser/components/states.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { count } from '#serve/http/pages/browser/format.ts';
import { linkTo } from '#serve/http/pages/browser/route.ts';
import { ServerError } from '#serve/http/pages/browser/server.ts';
import type { ReviewFilter } from './filter-form.ts';

type Made = Static<typeof fromRequests>;

const TRUTHS = {
  good_answer: 'Expected output, or a good response',
  expected_output: 'Expected output',
  label: 'Label',
  answer: 'Response',
  none: 'None',
};

/** The form that creates a dataset of the requests that match the page's filters. */
export function datasetPart(session: Session, filter: ReviewFilter, leaving: AbortSignal) {
  const name = text('Name', 'review-name', 'requests.jsonl');
  const limit = text('Maximum number of rows', 'review-limit', '1000', 'number');
  const redact = text('Guardrails that remove personal data, separated by commas', 'review-redact', '');
  const encoder = text('Encoder that finds near-duplicates', 'review-encoder', '');
  const truth = choice('Ground truth', 'review-truth', TRUTHS);
  const only = element('input', { type: 'checkbox', id: 'review-only' });
  const result = element('div', { role: 'status' });
  const counting = element('button', { type: 'button', class: 'quiet' }, 'Count rows');
  const form = element(
    'form',
    { class: 'playground', novalidate: true, 'aria-label': 'New dataset' },
    ...[name, limit, redact, encoder, truth].map(({ node }) => node),
    element(
      'p',
      { class: 'field' },
      element('label', { for: only.id }, 'Only rows with a ground truth'),
      only,
    ),
    element(
      'div',
      { class: 'actions' },
      counting,
      element('button', { type: 'submit', class: 'quiet' }, 'Create dataset'),
    ),
    result,
  );
  const send = async (isDry: boolean) => {
    form.setAttribute('aria-busy', 'true');
    const model = encoder.input.value.trim();
    const body = {
      filename: name.input.value.trim() || 'requests.jsonl',
      filter,
      limit: Number(limit.input.value),
      redact: redact.input.value
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== ''),
      ...(model === '' ? {} : { deduplicate: { model } }),
      ground_truth: truth.input.value,
      require_ground_truth: only.checked,
      dry_run: isDry,
    };
    try {
      const path = 'api/v1/datasets/from-requests';
      const { data } = await session.call<Made>(path, { method: 'POST', body, signal: leaving });
      result.replaceChildren(...resultOf(data));
    } catch (error) {
      if (leaving.aborted) return;
      if (!(error instanceof ServerError)) throw error;
      result.replaceChildren(failed(error));
    } finally {
      form.removeAttribute('aria-busy');
    }
  };
  counting.addEventListener('click', () => void send(true));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(false);
  });
  return element(
    'section',
    { class: 'page', 'aria-label': 'New dataset' },
    element('h2', {}, 'New dataset'),
    form,
  );
}

function resultOf({ dataset, counts }: Made): Node[] {
  return [
    facts([
      ['Matching requests', count(counts.matched)],
      ['Read', count(counts.read)],
      ['Without a text, or truncated', count(counts.unreadable)],
      ['Without a ground truth', count(counts.without_ground_truth)],
      ['Not redacted', count(counts.redaction_failed)],
      ['Near-duplicates', count(counts.duplicates)],
      ['Rows', count(counts.rows)],
    ]),
    ...(dataset === null
      ? []
      : [
          element(
            'p',
            {},
            `Created ${dataset.filename} with the ID `,
            element('code', {}, dataset.id),
            '. ',
            element('a', { href: linkTo(['experiments', 'new']) }, 'New experiment'),
          ),
        ]),
  ];
}

function text(title: string, id: string, value: string, type = 'text') {
  const input = element('input', { id, type, autocomplete: 'off', value });
  return { input, node: element('p', { class: 'field' }, element('label', { for: id }, title), input) };
}

function choice(title: string, id: string, words: Readonly<Record<string, string>>) {
  const options = Object.entries(words).map(([value, name]) => element('option', { value }, name));
  const input = element('select', { id }, ...options);
  return { input, node: element('p', { class: 'field' }, element('label', { for: id }, title), input) };
}
