/**
 * Forms of prompts that contain a task, each with what precedes the task and what follows it: of
 * E5, Qwen3 and NV-Embed, of bge-multilingual-gemma2, and of EmbeddingGemma.
 */
const FORMS: readonly RegExp[] = [
  /^(\s*Instruct: ?)[^\n]*[^\s]( *\n\s*Query:\s*)$/i,
  /^(\s*<instruct>\s*)[^<]*[^\s<](\s*<query>\s*)$/i,
  /^(task: )[^|]*[^|\s]( \| query:\s*)$/i,
];

/** An example of such a prompt, for messages and documents. */
export const INSTRUCTION_FORM = 'Instruct: {task}\\nQuery: ';

/** The prompt with another task; undefined if it does not contain a task. */
export function withInstruction(prompt: string, task: string): string | undefined {
  for (const form of FORMS) {
    const [, before, after] = form.exec(prompt) ?? [];
    if (before !== undefined && after !== undefined) return before + task + after;
  }
  return undefined;
}

type Prompts = Readonly<Record<string, { readonly text: string }>>;

/** The names of the prompts that contain a task. */
export const promptsWithTask = (prompts: Prompts): string[] =>
  Object.entries(prompts).flatMap(([name, { text }]) =>
    withInstruction(text, '') === undefined ? [] : [name],
  );

/**
 * The name of the prompt whose task an instruction replaces, if the request does not name a prompt:
 * the default prompt, then `query`, then the first one.
 */
export function promptForInstruction(
  prompts: Prompts,
  defaultPrompt: string | undefined,
): string | undefined {
  const names = promptsWithTask(prompts);
  return [defaultPrompt, 'query'].find((name) => name !== undefined && names.includes(name)) ?? names[0];
}
