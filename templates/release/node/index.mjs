export { EncoderfileError, open } from './index.cjs';
