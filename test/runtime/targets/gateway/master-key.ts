export const MASTER_KEY = 'the-master-key-of-these-tests-0123456789';
