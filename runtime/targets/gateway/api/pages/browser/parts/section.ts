import type { Section } from '#serve/http/pages/browser/start-app.ts';

/** A page, and who it is for. */
export type GatewaySection = Section & { readers?: boolean; managers?: boolean; admins?: boolean };
