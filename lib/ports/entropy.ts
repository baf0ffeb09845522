/** Unpredictable bytes for tokens, nonces and codes. Their only source. */
export type Entropy = (bytes: number) => Buffer
