/**
 * Members of answers that hold no words of the model: ids, kinds, encoded data, what others wrote, and the same words again.
 * All other texts are taken for the model's, so that a form which nobody here knows does not go past guardrails and accounts.
 */
const NOT_WRITTEN = new Set(
  [
    ['id', 'call_id', 'tool_call_id', 'item_id', 'response_id', 'file_id', 'container_id', 'server_label'],
    ['type', 'role', 'object', 'model', 'status', 'phase', 'format', 'media_type', 'mime_type', 'created_by'],
    ['data', 'image_url', 'b64_json', 'partial_image_b64', 'signature', 'thought_signature', 'obfuscation'],
    ['encrypted_content', 'encrypted_index', 'encrypted_stdout'],
    ['logprobs', 'annotations', 'annotation', 'citations', 'citation'],
  ].flat(),
);
/** What tools are called with can have members of any name. */
const OF_ANY_NAMES = new Set(['input', 'arguments', 'args']);

/** All texts in an answer, or in a piece of one, that a model wrote, in order. */
export function writtenTexts(value: unknown): string[] {
  const texts: string[] = [];
  const collect = (found: unknown): void => {
    if (typeof found === 'string') {
      if (found !== '') texts.push(found);
    } else if (Array.isArray(found)) {
      for (const item of found as unknown[]) collect(item);
    } else if (typeof found === 'object' && found !== null) collectMembers(found);
  };
  const collectMembers = (members: object): void => {
    const isImage = 'type' in members && members.type === 'image_generation_call';
    for (const [name, member] of Object.entries(members) as [string, unknown][]) {
      if (NOT_WRITTEN.has(name) || (isImage && name === 'result')) continue;
      const isCalledWith = OF_ANY_NAMES.has(name) && typeof member === 'object' && member !== null;
      collect(isCalledWith ? JSON.stringify(member) : member);
    }
  };
  collect(value);
  return texts;
}
