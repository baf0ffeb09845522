import { randomBytes } from 'node:crypto'
import type { Entropy } from '../../ports/entropy.ts'

/** The system's cryptographic generator. */
export const entropy: Entropy = (bytes) => randomBytes(bytes)
