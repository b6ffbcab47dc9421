import { sha256 } from '#platform/sha256.ts';
import { qualify } from './qualified-name.ts';

/** Names of tools that clients and language models accept, and that are not a relative path: https://modelcontextprotocol.io/specification/2025-11-25/server/tools */
const ACCEPTED = /^(?!\.{1,2}$)[\w.-]{1,128}$/;
const MAX_LENGTH = 128;

/** The end of a mapped name: part of a hash, so that two tools never have the same mapped name. */
const SUFFIX = /_[\da-f]{8}$/;
const SUFFIX_LENGTH = 9;

/** Returns the name of a tool in the list of one server: its own, or a mapped one that clients accept. */
export const toolName = (name: string): string => (ACCEPTED.test(name) ? name : mapped(name, MAX_LENGTH));

/** Returns the name of a tool in the list over all servers: `server__tool`, mapped if necessary. */
export function qualifiedToolName(server: string, name: string): string {
  const own = qualify(server, name);
  if (ACCEPTED.test(own)) return own;
  return qualify(server, mapped(name, MAX_LENGTH - qualify(server, '').length));
}

/** Returns the mapped names of a tool without the name of its server; empty if clients accept its own name. */
export function mappedNames(server: string, name: string): string[] {
  const names = [toolName(name), qualifiedToolName(server, name).slice(qualify(server, '').length)];
  return names.filter((one) => one !== name);
}

/** Whether a name has the form of a mapped one. */
export const looksMapped = (name: string): boolean => SUFFIX.test(name);

function mapped(name: string, maxLength: number): string {
  const readable = name.replaceAll(/[^\w.-]+/g, '_').slice(0, maxLength - SUFFIX_LENGTH);
  return `${readable}_${sha256(Buffer.from(name)).slice(0, SUFFIX_LENGTH - 1)}`;
}
