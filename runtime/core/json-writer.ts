import { toJsonLine } from './json.ts';

export const encodeJson = (value: unknown): Uint8Array => new TextEncoder().encode(toJsonLine(value));
