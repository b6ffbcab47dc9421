import { membersOf } from '#core/json/members-of.ts';
import { openAiErrorText } from '../openai/errors.ts';
import type { ErrorText } from '../provider.ts';

/** OpenAI's errors; an error of the content filter has the categories that it found, which its message does not name. */
export function azureErrorText(body: unknown): ErrorText {
  const { message, code } = openAiErrorText(body);
  const { innererror: inner } = membersOf(membersOf(body)['error']);
  const found = Object.entries(membersOf(membersOf(inner)['content_filter_result']))
    .filter(([, result]) => membersOf(result)['filtered'] === true)
    .map(([category]) => category);
  if (found.length === 0) return { message, code };
  return { message: `${message ?? 'The content was filtered.'} Filtered for: ${found.join(', ')}.`, code };
}
