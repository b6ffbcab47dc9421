/**
 * Members of answers that are not output of the model: ids, types, encoded data, texts of others, and repetitions of the output.
 * All other texts count as output, so that unknown members do not bypass guardrails and usage tracking.
 */
export const NON_OUTPUT_MEMBERS = new Set(
  [
    ['id', 'call_id', 'tool_call_id', 'item_id', 'response_id', 'file_id', 'container_id', 'server_label'],
    ['type', 'role', 'object', 'model', 'status', 'phase', 'format', 'media_type', 'mime_type', 'created_by'],
    ['data', 'image_url', 'b64_json', 'partial_image_b64', 'signature', 'thought_signature', 'obfuscation'],
    ['encrypted_content', 'encrypted_index', 'encrypted_stdout'],
    ['logprobs', 'annotations', 'annotation', 'citations', 'citation'],
  ].flat(),
);
/** Arguments of tools, whose members can have any name. They count as a whole. */
const FREE_FORM_MEMBERS = new Set(['input', 'arguments', 'args']);

/** All texts of a model's output in an answer or in a part of one, in order. */
export function outputTexts(value: unknown): string[] {
  const texts: string[] = [];
  const collect = (found: unknown): void => {
    if (typeof found === 'string') {
      if (found !== '') texts.push(found);
    } else if (Array.isArray(found)) {
      for (const item of found) collect(item);
    } else if (typeof found === 'object' && found !== null) collectMembers(found);
  };
  const collectMembers = (members: object): void => {
    const isImage = 'type' in members && members.type === 'image_generation_call';
    const all: readonly (readonly [string, unknown])[] = Object.entries(members);
    for (const [name, member] of all) {
      if (NON_OUTPUT_MEMBERS.has(name) || (isImage && name === 'result')) continue;
      const isArguments = FREE_FORM_MEMBERS.has(name) && typeof member === 'object' && member !== null;
      collect(isArguments ? JSON.stringify(member) : member);
    }
  };
  collect(value);
  return texts;
}
