/**
 * What precedes and what follows the task in prompts that contain one: of E5, Qwen3 and NV-Embed,
 * of bge-multilingual-gemma2, and of EmbeddingGemma.
 */
const FORMS: readonly (readonly [before: string, after: string])[] = [
  ['Instruct:', 'Query:'],
  ['<instruct>', '<query>'],
  ['task:', '| query:'],
];

/** An example of such a prompt, for messages and documents. */
export const INSTRUCTION_FORM = 'Instruct: {task}\\nQuery: ';

/** The prompt with another task; undefined if it does not contain a task. */
export function withInstruction(prompt: string, task: string): string | undefined {
  const form = FORMS.find(([start, end]) => prompt.startsWith(start) && prompt.trimEnd().endsWith(end));
  if (!form) return undefined;
  const [start, end] = form;
  const [from, to] = [start.length, prompt.lastIndexOf(end)];
  const current = prompt.slice(from, to);
  if (current.trim() === '') return undefined;
  // The whitespace around the task is kept.
  const spaceBefore = current.slice(0, current.length - current.trimStart().length);
  const spaceAfter = current.slice(current.trimEnd().length);
  return prompt.slice(0, from) + spaceBefore + task + spaceAfter + prompt.slice(to);
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
