import { element } from '#serve/http/pages/browser/dom.ts';
import { ServerError } from '#serve/http/pages/browser/server.ts';
import type { Feedback } from '../sections/feedback.ts';

type Thumb = 'up' | 'down';

/** A reviewer's judgement of a response. */
export interface Judgement {
  readonly thumb: Thumb | null;
  readonly label: string | null;
  readonly text: string | null;
  readonly expected_output: string | null;
  /** Kept from the reviewer's earlier feedback, because the form replaces it as a whole. */
  readonly score: number | null;
}

/** The form with a reviewer's judgement. `earlier` is their previous judgement. */
export function judgementForm(
  earlier: Feedback | undefined,
  onSave: (judgement: Judgement) => Promise<void>,
) {
  let thumb: Thumb | null = earlier?.thumb ?? null;
  const up = thumbButton('Good (G)');
  const down = thumbButton('Bad (B)');
  const label = field(
    'Label',
    element('input', {
      id: 'review-own-label',
      type: 'text',
      autocomplete: 'off',
      maxlength: 100,
      value: earlier?.label ?? '',
    }),
  );
  const expected = field(
    'Expected output',
    element('textarea', { id: 'review-expected', rows: 3 }, earlier?.expected_output ?? ''),
  );
  const comment = field(
    'Comment',
    element('textarea', { id: 'review-comment', rows: 2 }, earlier?.text ?? ''),
  );
  const problem = element('p', { class: 'field-problem', role: 'alert' });
  const form = element(
    'form',
    { class: 'playground', novalidate: true, 'aria-label': 'Your judgement' },
    element('div', { class: 'actions', role: 'group', 'aria-label': 'Thumb' }, up, down),
    label.node,
    expected.node,
    comment.node,
    problem,
    element('div', { class: 'actions' }, element('button', { type: 'submit' }, 'Save and show next (S)')),
  );
  const show = () => {
    up.setAttribute('aria-pressed', String(thumb === 'up'));
    down.setAttribute('aria-pressed', String(thumb === 'down'));
  };
  const toggle = (chosen: Thumb) => {
    thumb = thumb === chosen ? null : chosen;
    show();
  };
  let isSaving = false;
  const save = async () => {
    if (isSaving) return;
    isSaving = true;
    problem.textContent = '';
    try {
      await onSave({
        thumb,
        label: label.value(),
        text: comment.value(),
        expected_output: expected.value(),
        score: earlier?.score ?? null,
      });
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      problem.textContent = error.message;
    } finally {
      isSaving = false;
    }
  };
  up.addEventListener('click', () => toggle('up'));
  down.addEventListener('click', () => toggle('down'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void save();
  });
  show();
  return { node: form, toggle, save: () => void save() };
}

const thumbButton = (name: string) => element('button', { type: 'button', class: 'quiet' }, name);

function field(title: string, input: HTMLInputElement | HTMLTextAreaElement) {
  return {
    node: element('p', { class: 'field' }, element('label', { for: input.id }, title), input),
    value: () => (input.value.trim() === '' ? null : input.value),
  };
}
