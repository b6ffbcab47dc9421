import { sha256 } from '../../../platform/sha256.ts';
import { qualify } from './qualified-name.ts';

/** Which names of tools clients and language models accept: https://modelcontextprotocol.io/specification/2025-11-25/server/tools */
const ACCEPTED = /^[\w.-]{1,128}$/;
const MAX_LENGTH = 128;

/** What a mapped name ends with, so that two tools never share one. */
const SUFFIX = /_[\da-f]{8}$/;
const SUFFIX_LENGTH = 9;

/** The name of a tool where there is one server: its own, or a mapped one that clients accept. */
export const toolName = (name: string): string => (ACCEPTED.test(name) ? name : mapped(name, MAX_LENGTH));

/** The same where all servers are. */
export function qualifiedToolName(server: string, name: string): string {
  const own = qualify(server, name);
  if (ACCEPTED.test(own)) return own;
  return qualify(server, mapped(name, MAX_LENGTH - qualify(server, '').length));
}

/** The mapped names of a tool, without its server's name; none if clients accept its own. */
export function mappedNames(server: string, name: string): string[] {
  const names = [toolName(name), qualifiedToolName(server, name).slice(qualify(server, '').length)];
  return names.filter((one) => one !== name);
}

/** Whether a name looks like a mapped one. */
export const mayBeMapped = (name: string): boolean => SUFFIX.test(name);

function mapped(name: string, maxLength: number): string {
  const readable = name.replaceAll(/[^\w.-]+/g, '_').slice(0, maxLength - SUFFIX_LENGTH);
  return `${readable}_${sha256(Buffer.from(name)).slice(0, SUFFIX_LENGTH - 1)}`;
}
