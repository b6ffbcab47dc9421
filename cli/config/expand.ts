/** The environment for expanding paths: a leading `~`, and `${NAME}`; `$${` is a literal `${`. */
export type Environment = Readonly<Record<string, string | undefined>>;

export function expand(text: string, env: Environment): string {
  const homeward = HOME.test(text);
  const rest = (homeward ? text.slice(1) : text).replaceAll(REFERENCE, (whole, name: string | undefined) =>
    whole === ESCAPED ? '${' : (lookUp(env, name ?? '') ?? ''),
  );
  return homeward ? `${homeOf(env) ?? ''}${rest}` : rest;
}

/** Returns why a path cannot be expanded; empty if it can. */
export function expansionProblems(text: string, env: Environment): string[] {
  const problems = [...text.matchAll(REFERENCE)].flatMap(([whole, name]) => {
    if (whole === ESCAPED) return [];
    if (!whole.endsWith('}')) return [`\`${whole}\` is not closed; write $\${ for a literal \${`];
    if (!NAME.test(name ?? ''))
      return [`\`${whole}\` is not a variable; write \${NAME}, or $\${ for a literal \${`];
    return lookUp(env, name ?? '') === undefined ? [`the environment variable \`${name}\` is not set`] : [];
  });
  if (HOME.test(text) && homeOf(env) === undefined) problems.push('`~` cannot be expanded: HOME is not set');
  if (problems.length > 0 || text === '') return problems;
  return expand(text, env).trim() === '' ? ['expands to an empty path'] : [];
}

/** Escapes a path so that expanding it returns the original. */
export function literalPath(path: string): string {
  return (HOME.test(path) ? `./${path}` : path).replaceAll('${', () => ESCAPED);
}

const ESCAPED = '$${';
const REFERENCE = /\$\$\{|\$\{([^}]*)\}?/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const HOME = /^~(?=$|[/\\])/;

const homeOf = (env: Environment): string | undefined =>
  lookUp(env, 'HOME') || lookUp(env, 'USERPROFILE') || undefined;
const lookUp = (env: Environment, name: string): string | undefined =>
  Object.hasOwn(env, name) ? env[name] : undefined;
