import { element } from '#serve/http/pages/browser/dom.ts';
import { bytes, duration } from '#serve/http/pages/browser/format.ts';
import { jsonText } from '#serve/http/pages/browser/json-text.ts';

/** Longer responses are cut off, so that streams without an end are closed. */
const MAX_CHARACTERS = 100_000;

/** Shows a response while it is being received. */
export async function readResponse(response: Response, place: HTMLElement, running: AbortController) {
  const started = performance.now();
  const type = response.headers.get('Content-Type') ?? '';
  const status = element('p', { role: 'status' });
  const code = element('code');
  const box = element(
    'pre',
    { class: 'sample', tabindex: 0, role: 'region', 'aria-label': 'Response' },
    code,
  );
  const describe = (more: string) => {
    status.textContent = [`${response.status} ${response.statusText}`.trim(), type, more]
      .filter((part) => part !== '')
      .join(' · ');
  };
  place.replaceChildren(status);
  describe('');
  if (!/json|text|xml|yaml|event-stream/.test(type)) {
    const { size } = await response.blob();
    describe(size === 0 ? '' : bytes(size));
    return;
  }
  const stop = element('button', { type: 'button', class: 'quiet' }, 'Stop');
  stop.addEventListener('click', () => running.abort());
  place.append(stop, box);
  const text = await readText(response, (part) => code.append(part), running.signal);
  stop.remove();
  const isCut = text.length >= MAX_CHARACTERS;
  if (type.includes('json') && !isCut) code.textContent = formatted(text);
  describe(
    [
      duration(performance.now() - started),
      ...(isCut ? [`the first ${MAX_CHARACTERS} characters`] : []),
    ].join(' · '),
  );
}

async function readText(response: Response, onPart: (part: string) => void, signal: AbortSignal) {
  if (!response.body) return '';
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (text.length < MAX_CHARACTERS) {
    const { value, done } = await reader.read().catch((error) => {
      if (signal.aborted) return { value: undefined, done: true };
      throw error;
    });
    if (done) return text;
    const part = (value ?? '').slice(0, MAX_CHARACTERS - text.length);
    text += part;
    onPart(part);
  }
  await reader.cancel();
  return text;
}

function formatted(text: string) {
  try {
    return jsonText(JSON.parse(text));
  } catch {
    return text;
  }
}
