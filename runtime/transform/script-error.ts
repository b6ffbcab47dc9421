import type { TransformScript } from './transform-script.ts';

/** Lua's messages say where something happened, as `name:3:`; this adds the line itself, for whoever wrote it. */
export function explainScriptError(message: string, { source, name, firstLine }: TransformScript): string {
  const place = new RegExp(`${RegExp.escape(name)}:(\\d+):`).exec(message)?.[1];
  const line = place === undefined ? undefined : source.split('\n')[Number(place) - firstLine];
  return line === undefined ? message : `${message}\n  ${place} | ${line.trimEnd()}`;
}
