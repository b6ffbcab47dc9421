import { configError } from '#contract/errors.ts';
import type { RemoteEndpoint, UrlVariable } from './entry.ts';

/** A URL with all variables filled in. */
export interface FilledUrl {
  readonly url: string;
  /** The URL for the secrets file, if a variable is secret; `url` then keeps that variable's name. */
  readonly secretUrl?: string | undefined;
}

/** Matches the variables in a registry URL. */
const VARIABLE = /\{(\w+)\}/g;

/** Returns the variable names in a URL. */
export const variablesOfUrl = (url: string): string[] => [
  ...new Set(Array.from(url.matchAll(VARIABLE), ([, name = '']) => name)),
];

/** Replaces the variables in a URL with the user's values, or with their registry defaults. */
export function fillUrl(
  { url, variables }: RemoteEndpoint,
  given: Readonly<Record<string, string>>,
  id: string,
): FilledUrl {
  const unknown = Object.keys(given).find((name) => !variables.some((one) => one.name === name));
  if (unknown !== undefined) {
    const known = variables.map(({ name }) => name).join(', ') || 'none';
    throw configError(
      `The URL of ${id} has no variable ${JSON.stringify(unknown)}. Its variables: ${known}.`,
    );
  }
  const missing: UrlVariable[] = [];
  const valueOf = (variable: UrlVariable): string => {
    const value = Object.hasOwn(given, variable.name) ? given[variable.name] : undefined;
    if (value && variable.choices.length > 0 && !variable.choices.includes(value)) {
      throw configError(
        `${JSON.stringify(value)} is not a valid value for the variable ${variable.name}. Choose one of: ${variable.choices.join(', ')}.`,
      );
    }
    const used = value || variable.default;
    if (!used) missing.push(variable);
    return used ?? '';
  };
  const values = new Map(variables.map((variable) => [variable.name, valueOf(variable)]));
  if (missing.length > 0) {
    const options = missing.map(({ name }) => `--var ${name}=<value>`).join(' ');
    throw configError(
      `The URL of ${id} has variables without a value: ${missing.map(describe).join('; ')}. Pass ${options}.`,
    );
  }
  const secret = new Set(variables.filter((one) => one.isSecret).map(({ name }) => name));
  const fill = (keepsSecrets: boolean): string =>
    url.replaceAll(VARIABLE, (written, name: string) =>
      keepsSecrets && secret.has(name) ? written : (values.get(name) ?? written),
    );
  return secret.size > 0 ? { url: fill(true), secretUrl: fill(false) } : { url: fill(false) };
}

function describe({ name, description, choices }: UrlVariable): string {
  const facts = [description.trim(), choices.length > 0 ? `one of ${choices.join(', ')}` : ''];
  const shown = facts.filter((fact) => fact !== '').join('; ');
  return shown === '' ? name : `${name} (${shown})`;
}
