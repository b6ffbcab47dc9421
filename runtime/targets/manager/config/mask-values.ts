import { soundsSecret } from '#core/text/secret-name.ts';

const MASK = '***';

/** Masks a value for display. Variable references are not secrets and stay readable. */
export function maskValue(value: string): string {
  return /^(?:\s*\$(?:\{\w+(?::-)?\}|\w+))*\s*$/.test(value) ? value : MASK;
}

/** Masks arguments whose names suggest secrets. */
export const maskArgs = (args: readonly string[]): string[] =>
  args.map((arg, index) => maskArg(arg, args[index - 1] ?? ''));

function maskArg(arg: string, before: string): string {
  const [, flag, value] = /^(--?[^=]+=)([^]*)$/.exec(arg) ?? [];
  if (flag !== undefined && value !== undefined)
    return flag + (soundsSecret(flag) ? maskValue(value) : maskInside(value));
  if (/^--?[^=]+$/.test(before) && soundsSecret(before) && !arg.startsWith('-')) return maskValue(arg);
  return maskInside(arg);
}

/** Masks secrets that are recognizable in a text: a variable `API_KEY=x`, a header `Authorization: x`, or a URL. */
function maskInside(text: string): string {
  const [name = ''] = /^[\w-]+[=:]\s*/.exec(text) ?? [];
  const value = text.slice(name.length);
  const isNamed = name !== '' && value !== '' && !value.startsWith('//');
  return isNamed && soundsSecret(name) ? name + maskValue(value) : maskUrl(text);
}

/** Masks the credentials and the query parameters of a URL. */
export function maskUrl(text: string): string {
  if (!/^[a-z][\w+.-]*:\/\//i.test(text)) return text;
  return text
    .replace(/\/\/[^/?#\s]*@/, `//${MASK}@`)
    .replaceAll(/([?&][^=&#?]+=)([^&#]*)/g, (_, name: string, value: string) => name + maskValue(value));
}
