import { formOf } from '../components/form.js';

const patterns = (/** @type {string} */ title, /** @type {string} */ description) => ({
  type: 'array',
  title,
  description,
  items: { type: 'string' },
});

const SCHEMA = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', title: 'Name', description: 'In the address of the group, e.g. research.' },
    servers: patterns('Servers', 'Names or patterns, e.g. time or git*.'),
    tools: patterns(
      'Tools',
      'Names or patterns, e.g. git/get_*. On a server with a tool here, the group has only these tools.',
    ),
    prompts: patterns('Prompts', 'Names or patterns, e.g. git/review.'),
    resources: patterns('Resources', 'Addresses or patterns, e.g. files/file:///notes/*.'),
  },
};

/**
 * A form for a group.
 * @param {object} values
 * @param {(group: any) => Promise<void>} onSubmit
 */
export const groupForm = (values, onSubmit) => formOf(SCHEMA, { values, submit: 'Review change', onSubmit });
