import type { TransformSettings } from '#contract/transform.ts';

/** A script with its settings. */
export interface TransformScript extends TransformSettings {
  readonly source: string;
  /** The setting with the limits, for messages; undefined if users cannot change them. */
  readonly limitsKey?: string | undefined;
}

/**
 * Adds the text of the source line to a message from Lua, which only contains a position such as
 * `name:3:`.
 */
export function explainScriptError(message: string, { source, name, firstLine }: TransformScript): string {
  const afterName = message.split(`${name}:`).slice(1);
  const place = afterName.map((text) => /^(\d+):/.exec(text)?.[1]).find((line) => line !== undefined);
  const line = place === undefined ? undefined : source.split('\n')[Number(place) - firstLine];
  return line === undefined ? message : `${message}\n  ${place} | ${line.trimEnd()}`;
}
