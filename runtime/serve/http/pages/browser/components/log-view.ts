import { counted } from '../format.ts';
import { element } from '../dom.ts';
import { ServerError } from '../server.ts';
import { failed } from './states.ts';

/** Maximum number of lines. If there are more, the oldest lines are removed. */
const MAX_LINES = 2000;

interface LogViewOptions {
  /** Calls `onLine` for each line until the signal is aborted. */
  readonly follow: (signal: AbortSignal, onLine: (line: string) => void) => Promise<void> | void;
  readonly name?: string;
  /** Aborted to stop following the log, e.g. when the user leaves the page. */
  readonly signal?: AbortSignal;
}

/**
 * Shows a log that is followed live. The view scrolls to new lines while the end of the log is
 * visible, can be paused and searched, and only keeps the newest lines.
 */
export function logView({ follow, name = 'Log', signal }: LogViewOptions) {
  const lines = [] as string[];
  const waiting = [] as string[];
  let isPaused = false;
  let isScheduled = false;
  const code = element('code');
  const box = element(
    'pre',
    { class: 'log', role: 'log', 'aria-live': 'off', 'aria-label': name, tabindex: 0 },
    code,
  );
  const status = element('p', { class: 'table-status', role: 'status' });
  const pause = element('button', { type: 'button', class: 'quiet', 'aria-pressed': 'false' }, 'Pause');
  const search = element('input', {
    type: 'search',
    'aria-label': `Search ${name}`,
    placeholder: 'Search',
    spellcheck: 'false',
    autocomplete: 'off',
  });
  const problem = element('div');

  const matches = (line: string) => line.toLowerCase().includes(search.value.toLowerCase());

  function flush() {
    isScheduled = false;
    if (isPaused) {
      waiting.splice(0, waiting.length - MAX_LINES);
      status.textContent = `Paused, ${counted(waiting.length, 'new line')}`;
      return;
    }
    const added = waiting.splice(0);
    lines.push(...added);
    lines.splice(0, lines.length - MAX_LINES);
    const isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 40;
    code.append(...added.filter(matches).map(lineNode));
    while (code.childElementCount > MAX_LINES) code.firstElementChild?.remove();
    if (isAtEnd) box.scrollTop = box.scrollHeight;
    describe();
  }

  function describe() {
    const total = counted(lines.length, 'line');
    status.textContent = search.value === '' ? total : `${code.childElementCount} of ${total}`;
  }

  const schedule = () => {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(flush);
  };

  pause.addEventListener('click', () => {
    isPaused = !isPaused;
    pause.setAttribute('aria-pressed', String(isPaused));
    schedule();
  });
  search.addEventListener('input', () => {
    code.replaceChildren(...lines.filter(matches).map(lineNode));
    box.scrollTop = box.scrollHeight;
    describe();
  });

  const start = async () => {
    problem.replaceChildren();
    try {
      await follow(signal ?? new AbortController().signal, (line) => {
        waiting.push(line);
        schedule();
      });
    } catch (error) {
      if (signal?.aborted) return;
      if (!(error instanceof ServerError)) throw error;
      problem.replaceChildren(failed(error, () => void start()));
    }
  };
  void start();
  return element(
    'div',
    { class: 'log-view' },
    element('div', { class: 'toolbar' }, search, pause),
    problem,
    box,
    status,
  );
}

const lineNode = (line: string) => element('span', { class: 'log-line' }, `${line}\n`);
