import type { CompletionRequest } from '../../requests/completions/completion.ts';
import { membersOfForm } from '../../providers/adapters/form-fields.ts';
import { type Form, requiredFile } from '../../shared/form.ts';

/** The request that a form is: its file, and its other fields as JSON. */
export const formInput = (form: Form, fileField: string): Pick<CompletionRequest, 'bytes' | 'file'> => ({
  file: requiredFile(form, fileField),
  bytes: Buffer.from(JSON.stringify(membersOfForm(form))),
});
