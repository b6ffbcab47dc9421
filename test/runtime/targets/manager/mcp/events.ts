/** The messages of an event stream, as they arrive. */
export async function* eventsOf(answer: Response): AsyncGenerator<Record<string, unknown>, undefined> {
  if (!answer.body) throw new Error('no body');
  let text = '';
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const [, data] = /^data: (.*)$/m.exec(event) ?? [];
      if (data !== undefined) yield JSON.parse(data) as Record<string, unknown>;
    }
  }
  return undefined;
}
