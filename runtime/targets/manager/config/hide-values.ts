import { soundsSecret } from '../../../core/text/secret-name.ts';

const HIDDEN = '***';

/** A value as lists show it: what is written out is hidden, what only names a variable is not. */
export function hideValue(value: string): string {
  return /^(?:\s*\$(?:\{\w+(?::-)?\}|\w+))*\s*$/.test(value) ? value : HIDDEN;
}

/** Arguments in which what sounds like a secret is hidden. */
export const hideArgs = (args: readonly string[]): string[] =>
  args.map((arg, index) => hideArg(arg, args[index - 1] ?? ''));

function hideArg(arg: string, before: string): string {
  const [, flag, value] = /^(--?[^=]+=)([^]*)$/.exec(arg) ?? [];
  if (flag !== undefined && value !== undefined)
    return flag + (soundsSecret(flag) ? hideValue(value) : hideInside(value));
  if (/^--?[^=]+$/.test(before) && soundsSecret(before) && !arg.startsWith('-')) return hideValue(arg);
  return hideInside(arg);
}

/** A text may say itself what it holds: a variable as in `API_KEY=x`, a header as in `Authorization: x`, an address. */
function hideInside(text: string): string {
  const [, name, value] = /^([\w-]+[=:]\s*)([^]+)$/.exec(text) ?? [];
  const isNamed = name !== undefined && value !== undefined && !value.startsWith('//');
  return isNamed && soundsSecret(name) ? name + hideValue(value) : hideUrl(text);
}

/** An address without its password and without what stands behind its `?`. */
export function hideUrl(text: string): string {
  if (!/^[a-z][\w+.-]*:\/\//i.test(text)) return text;
  return text
    .replace(/\/\/[^/?#\s]*@/, `//${HIDDEN}@`)
    .replaceAll(/([?&][^=&#]+=)([^&#]*)/g, (_, name: string, value: string) => name + hideValue(value));
}
