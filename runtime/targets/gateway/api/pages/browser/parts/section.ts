import type { Section } from '#serve/http/pages/browser/start-app.ts';

/** A page, and which roles it is for. */
export type GatewaySection = Section & { readers?: boolean; managers?: boolean; admins?: boolean };
