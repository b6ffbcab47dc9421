import type { Static } from 'typebox';
import type { me } from '#gateway/api/auth.ts';
import type { feedbackPage } from '#gateway/api/feedback-schemas.ts';
import type { promptPage, prompts } from '#gateway/api/prompts.ts';
import type { GatewaySection } from '../parts/section.ts';
import type { Place } from '#serve/http/pages/browser/start-app.ts';
import type { Session } from '#serve/http/pages/browser/session.ts';
import { badge, facts } from '#serve/http/pages/browser/components/facts.ts';
import { empty, failed } from '#serve/http/pages/browser/components/states.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { dateTime } from '#serve/http/pages/browser/format.ts';
import { linkTo } from '#serve/http/pages/browser/route.ts';
import { ServerError } from '#serve/http/pages/browser/server.ts';
import { actions } from '../parts/edit.ts';
import { filterForm, type ReviewFilter, filterIn } from '../review/filter-form.ts';
import { judgementForm } from '../review/judgement-form.ts';
import { messageList } from '../review/messages.ts';
import { datasetPart } from '../review/new-dataset.ts';
import { type Feedback, feedbackList } from './feedback.ts';

type Head = Static<typeof promptPage>['items'][number];
type Prompt = Static<typeof prompts>[number];
type Me = Static<typeof me>;

export const REVIEW: readonly GatewaySection[] = [
  {
    path: 'review',
    name: 'Review',
    group: 'Usage',
    admins: true,
    async show(place) {
      const { root, query, session, navigate, signal } = place;
      const filter = filterIn(query);
      const { data: caller } = await session.call<Me>('v1/me', { signal });
      root.append(
        element(
          'p',
          { class: 'hint' },
          'Stored requests one by one, newest first. Your judgements are feedback, which filters and datasets can use. Reading a request is recorded in the audit log.',
        ),
        filterForm(filter, (changed) => navigate(linkTo(['review'], { ...changed }))),
      );
      const { data: first } = await headsAt(session, filter, 0, signal);
      if (first.total === 0) {
        root.append(empty('No stored request matches. Requests are stored only for keys with log_prompts.'));
        return;
      }
      root.append(reviewer(place, caller, filter, first), datasetPart(session, filter, signal));
    },
  },
];

const headsAt = (session: Session, filter: ReviewFilter, skip: number, signal: AbortSignal) =>
  session.call<Static<typeof promptPage>>('v1/admin/prompts', {
    query: { ...filter, skip, limit: PAGE },
    signal,
  });

/** Number of requests whose IDs are read together. */
const PAGE = 50;

function reviewer(
  { session, signal }: Pick<Place, 'session' | 'signal'>,
  caller: Me,
  filter: ReviewFilter,
  first: Static<typeof promptPage>,
) {
  const heads: Head[] = [...first.items];
  let at = 0;
  let leaving = new AbortController();
  signal.addEventListener('abort', () => leaving.abort());
  const position = element('p', { role: 'status' });
  const [previous, next, shortcuts] = [button('Previous (K)'), button('Next (J)'), shortcutsField()];
  const content = element('div', { class: 'page' });
  let form: ReturnType<typeof judgementForm> | undefined;

  /** Saved judgements can make requests leave the filter, so the list is read once and not again. */
  const headAt = async (place: number): Promise<Head | undefined> => {
    if (place >= heads.length && place < first.total) {
      const { data } = await headsAt(session, filter, heads.length, leaving.signal);
      const known = new Set(heads.map(({ id }) => id));
      heads.push(...data.items.filter(({ id }) => !known.has(id)));
    }
    return heads[place];
  };
  const open = async (place: number): Promise<void> => {
    leaving.abort();
    leaving = new AbortController();
    const { signal: own } = leaving;
    content.setAttribute('aria-busy', 'true');
    try {
      const head = await headAt(place);
      if (!head) return;
      const [prompt, said] = await Promise.all([
        promptOf(session, head, own),
        feedbackOn(session, head.request_id, own),
      ]);
      if (own.aborted) return;
      at = place;
      position.textContent = `Request ${at + 1} of ${first.total}`;
      const mine = said.find((one) => one.author === (caller.user_id ?? null));
      form = judgementForm(mine, async (body) => {
        await session.call('v1/feedback', { method: 'POST', body: { request_id: head.request_id, ...body } });
        position.textContent = `Request ${at + 1} of ${first.total}: saved`;
        if (at + 1 < first.total) await open(at + 1);
      });
      content.replaceChildren(
        headFacts(head),
        element('h3', {}, 'Request'),
        messageList(prompt?.request ?? ''),
        element('h3', {}, 'Response'),
        element('pre', { tabindex: 0 }, prompt?.answer ?? 'None'),
        ...(said.length === 0 ? [] : [element('h3', {}, 'Feedback'), feedbackList(said)]),
        element('h3', {}, 'Your judgement'),
        form.node,
      );
      // An inactive button loses the focus, and with it the place of a keyboard user.
      previous.setAttribute('aria-disabled', String(at === 0));
      next.setAttribute('aria-disabled', String(at + 1 >= first.total));
    } catch (error) {
      if (own.aborted) return;
      if (!(error instanceof ServerError)) throw error;
      content.replaceChildren(failed(error, () => void open(place)));
    } finally {
      // A newer request is still loading.
      if (!own.aborted) content.removeAttribute('aria-busy');
    }
  };
  const move = (by: number) => {
    if (at + by >= 0 && at + by < first.total) void open(at + by);
  };
  previous.addEventListener('click', () => move(-1));
  next.addEventListener('click', () => move(1));
  document.addEventListener(
    'keydown',
    (event) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      if (!shortcuts.isOn() || ctrlKey || metaKey || altKey || isWriting(target)) return;
      const action = {
        j: () => move(1),
        k: () => move(-1),
        g: () => form?.toggle('up'),
        b: () => form?.toggle('down'),
        s: () => form?.save(),
      }[key.toLowerCase()];
      if (!action) return;
      event.preventDefault();
      action();
    },
    { signal },
  );
  void open(0);
  return element(
    'section',
    { class: 'page', 'aria-label': 'Stored request' },
    element('h2', {}, 'Stored request'),
    position,
    actions(previous, next),
    shortcuts.node,
    content,
  );
}

const button = (name: string) => element('button', { type: 'button', class: 'quiet' }, name);

/** Shortcuts of a single letter can be turned off, because speech input can trigger them. */
function shortcutsField() {
  const input = element('input', { type: 'checkbox', id: 'review-shortcuts', checked: true });
  const words = 'Keyboard shortcuts: J next, K previous, G good, B bad, S save';
  return {
    node: element('p', { class: 'hint' }, input, ' ', element('label', { for: input.id }, words)),
    isOn: () => input.checked,
  };
}

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.matches('textarea, select, input:not([type=checkbox])') || target.closest('dialog') !== null);

async function promptOf(session: Session, head: Head, signal: AbortSignal): Promise<Prompt | undefined> {
  const path = `v1/admin/prompts/${encodeURIComponent(head.request_id)}`;
  const { data } = await session.call<Static<typeof prompts>>(path, { signal });
  return data.find(({ id }) => id === head.id);
}

async function feedbackOn(session: Session, id: string, signal: AbortSignal): Promise<readonly Feedback[]> {
  const query = { request_id: id, limit: 100 };
  const { data } = await session.call<Static<typeof feedbackPage>>('v1/feedback', { query, signal });
  return data.items;
}

const headFacts = (head: Head) =>
  facts([
    ['Time', dateTime(head.at)],
    ['Request id', head.request_id],
    ['Model', head.model],
    ['User', head.user_id ?? '–'],
    ['Endpoint', head.endpoint],
    [
      'Status',
      badge(head.status, head.status === 'success' ? 'good' : head.status === 'error' ? 'alarm' : 'plain'),
    ],
    ...(head.truncated ? [['Truncated', 'Yes, so it cannot be in a dataset'] as const] : []),
  ]);
