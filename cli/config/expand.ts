import { type Environment, expand } from '#core/text/expand.ts';

/**
 * Expands a leading `~` and variables (`${NAME}` or `${NAME:-default}`) in a path from the config
 * file. `$NAME` without braces is literal text.
 */
export function expandPath(text: string, env: Environment): string {
  const homeward = HOME.test(text);
  const { text: rest } = expand(homeward ? text.slice(1) : text, env, GRAMMAR);
  return homeward ? `${homeOf(env) ?? ''}${rest}` : rest;
}

/** Returns the reasons why a path cannot be expanded; empty if it can. */
export function expansionProblems(text: string, env: Environment): readonly string[] {
  const problems = [...expand(text, env, GRAMMAR).problems];
  if (HOME.test(text) && homeOf(env) === undefined) problems.push('`~` cannot be expanded: HOME is not set');
  if (problems.length > 0 || text === '') return problems;
  return expandPath(text, env).trim() === '' ? ['expands to an empty path'] : [];
}

/** Escapes a path so that expanding the result returns the original path. */
export function literalPath(path: string): string {
  return (HOME.test(path) ? `./${path}` : path).replaceAll('${', () => '$${');
}

const GRAMMAR = { bareNames: false, escape: 'brace' } as const;
const HOME = /^~(?=$|[/\\])/;

const homeOf = (env: Environment): string | undefined =>
  lookUp(env, 'HOME') || lookUp(env, 'USERPROFILE') || undefined;
const lookUp = (env: Environment, name: string): string | undefined =>
  Object.hasOwn(env, name) ? env[name] : undefined;
