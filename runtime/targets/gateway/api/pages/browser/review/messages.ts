import { element } from '#serve/http/pages/browser/dom.ts';

interface Message {
  readonly role: string;
  readonly content?: unknown;
}

/** The messages of a stored request; the whole request if it has none, e.g. because it was truncated. */
export function messageList(request: string) {
  const messages = messagesIn(request);
  if (!messages) return element('pre', { tabindex: 0 }, request);
  return element(
    'ol',
    { class: 'attempts' },
    ...messages.map((message) =>
      element(
        'li',
        {},
        element('strong', {}, message.role),
        element('pre', { tabindex: 0 }, textOf(message)),
      ),
    ),
  );
}

function messagesIn(request: string): readonly Message[] | undefined {
  let body: unknown;
  try {
    body = JSON.parse(request);
  } catch {
    return undefined;
  }
  const { messages } = (body ?? {}) as { readonly messages?: unknown };
  const isList = Array.isArray(messages) && messages.length > 0 && messages.every(isMessage);
  return isList ? messages : undefined;
}

const isMessage = (one: unknown): one is Message =>
  typeof one === 'object' && one !== null && typeof (one as { readonly role?: unknown }).role === 'string';

/** The text of a message; its JSON if it has other parts, e.g. tool calls. */
function textOf(message: Message): string {
  const { content } = message;
  return typeof content === 'string' && Object.keys(message).length === 2
    ? content
    : JSON.stringify(message, undefined, 2);
}
